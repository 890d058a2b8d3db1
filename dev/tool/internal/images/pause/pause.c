/* The process that holds a pod's namespaces: it waits, and reaps what is left to it. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void end(int signal) { _exit(0); }

static void reap(int signal) {
	while (waitpid(-1, NULL, WNOHANG) > 0) {}
}

int main(void) {
	signal(SIGINT, end);
	signal(SIGTERM, end);
	signal(SIGCHLD, reap);
	for (;;) pause();
}
