package control

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"io.baetyl.gpu/dev/tool/internal/place"
)

// API speaks to the API server.
type API struct{ client *http.Client }

// NewAPI speaks as the administrator.
func NewAPI() (*API, error) { return apiAs("admin") }

func apiAs(file string) (*API, error) {
	pair, err := tls.LoadX509KeyPair(pki(file+".crt"), pki(file+".key"))
	if err != nil {
		return nil, fmt.Errorf("%w: is the cluster up?", err)
	}
	ca, err := os.ReadFile(CA())
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}}
	return &API{client: &http.Client{Transport: transport, Timeout: 5 * time.Second}}, nil
}

// Get reads an object; found is false when there is none.
func (a *API) Get(path string, into any) (found bool, err error) {
	answer, err := a.client.Get(place.API + path)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return false, err
	case answer.StatusCode == http.StatusNotFound:
		return false, nil
	case answer.StatusCode != http.StatusOK:
		return false, fmt.Errorf("GET %s: %s: %.300s", path, answer.Status, text)
	case into == nil:
		return true, nil
	}
	return true, json.Unmarshal(text, into)
}

// Apply creates or changes an object, owning the fields it names.
func (a *API) Apply(path string, object any) error {
	text, _ := json.Marshal(object)
	return a.send(http.MethodPatch, path+"?fieldManager=dev-cluster&force=true", "application/apply-patch+yaml", text)
}

// Delete removes an object.
func (a *API) Delete(path string) error { return a.send(http.MethodDelete, path, "", nil) }

func (a *API) send(method, path, kind string, body []byte) error {
	request, err := http.NewRequest(method, place.API+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", kind)
	answer, err := a.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 && !(method == http.MethodDelete && answer.StatusCode == http.StatusNotFound) {
		text, _ := io.ReadAll(answer.Body)
		return fmt.Errorf("%s %s: %s: %.300s", method, path, answer.Status, text)
	}
	return nil
}

// WaitReady waits until the API server says that it is ready.
func WaitReady(limit time.Duration) error {
	a, err := NewAPI()
	if err != nil {
		return err
	}
	for end := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
		_, err := a.Get("/readyz", nil)
		if err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the API server is not ready after %s (%w): see %s", limit, err, LogPath("apiserver"))
		}
	}
}
