package node

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// State is what is wrong with a card.
type State string

// A card has one of these states; cards.c knows the same words.
const (
	OK       State = "ok"
	Failed   State = "failed"
	Vanished State = "vanished"
	Hung     State = "hung"
)

// SetCards makes the node have these cards and no others. What is wrong with a card or the driver, and who uses it, stays as it is.
func (n Node) SetCards(cards []Card) error {
	ordered, err := Ordered(cards)
	if err != nil {
		return err
	}
	have, err := n.Cards()
	if err != nil {
		return err
	}
	for _, c := range have {
		if !slices.ContainsFunc(ordered, func(o Card) bool { return o.UUID == c.UUID }) {
			if err := os.RemoveAll(n.Path(CardDir(c.UUID))); err != nil {
				return err
			}
		}
	}
	var uuids []string
	for _, c := range ordered {
		if err := n.Write(filepath.Join(CardDir(c.UUID), "facts"), c.facts(), 0o644); err != nil {
			return err
		}
		uuids = append(uuids, c.UUID)
	}
	return n.restore(uuids)
}

// Cards lists all cards of the node in PCI order, also those that vanished.
func (n Node) Cards() ([]Card, error) {
	entries, err := os.ReadDir(n.Path(Dir, "cards"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var cards []Card
	for _, entry := range entries {
		c, err := n.card(entry.Name())
		if err != nil {
			return nil, err
		}
		cards = append(cards, c)
	}
	slices.SortFunc(cards, func(a, b Card) int { return strings.Compare(a.PCI, b.PCI) })
	return cards, nil
}

func (n Node) card(uuid string) (Card, error) {
	path := filepath.Join(CardDir(uuid), "facts")
	text, err := n.Read(path)
	if err != nil {
		return Card{}, err
	}
	facts := Facts(text)
	minor, err := strconv.Atoi(facts["minor"])
	memory, err2 := strconv.Atoi(facts["memory_mib"])
	if err = errors.Join(err, err2); err != nil {
		return Card{}, fmt.Errorf("%s: %w", n.Path(path), err)
	}
	return Card{UUID: facts["uuid"], Model: facts["name"], MemoryMiB: memory, PCI: facts["pci"], Minor: &minor}, nil
}

// Facts reads lines of a key, a blank and a value.
func Facts(text string) map[string]string {
	facts := map[string]string{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), " ")
		facts[key] = value
	}
	return facts
}

// State tells what is wrong with a card.
func (n Node) State(uuid string) (State, error) {
	state, err := n.state(CardDir(uuid), string(OK))
	return State(state), err
}

// SetState changes what is wrong with a card.
func (n Node) SetState(uuid string, state State) error {
	return n.setState(CardDir(uuid), string(state), string(Vanished))
}

// Find returns the card of a UUID, and names the known ones where there is none.
func (n Node) Find(uuid string) (Card, error) {
	cards, err := n.Cards()
	if err != nil {
		return Card{}, err
	}
	var known []string
	for _, c := range cards {
		if strings.EqualFold(c.UUID, uuid) {
			return c, nil
		}
		known = append(known, c.UUID+" ("+c.Model+")")
	}
	if len(known) == 0 {
		return Card{}, fmt.Errorf("card %s: this node has no cards; its node file gives it some", uuid)
	}
	return Card{}, fmt.Errorf("card %s: not on this node; it has %s", uuid, strings.Join(known, ", "))
}

// Present lists the cards that have not vanished, in PCI order: a card's place in it is its index.
func (n Node) Present() ([]Card, error) {
	cards, err := n.Cards()
	if err != nil {
		return nil, err
	}
	var present []Card
	for _, c := range cards {
		state, err := n.State(c.UUID)
		if err != nil {
			return nil, err
		}
		if state != Vanished {
			present = append(present, c)
		}
	}
	return present, nil
}

// RaiseXid tells whoever waits for the card's events of an error.
func (n Node) RaiseXid(uuid string, xid int) error {
	path := filepath.Join(CardDir(uuid), "xids")
	text, err := n.Read(path)
	if err != nil {
		return err
	}
	var lines []string
	if text != "" {
		lines = strings.Split(text, "\n")
	}
	last := 0
	if len(lines) > 0 {
		fmt.Sscan(lines[len(lines)-1], &last)
	}
	lines = append(lines, fmt.Sprintf("%d %d", last+1, xid))
	// A waiting process reads several times a second: it has seen what is older.
	lines = lines[max(0, len(lines)-64):]
	return n.Write(path, strings.Join(lines, "\n")+"\n", 0o644)
}
