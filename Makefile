# Targets with a ## are listed by `make`.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

export JAVA_HOME := $(shell dev/jdk)
# Maven itself still uses what the JDK warns of.
export MAVEN_OPTS := --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED
MVN := ./mvnw
APP := target/quarkus-app/quarkus-run.jar
SOURCES := $(shell find src/main pom.xml -type f 2>/dev/null)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## Show the main job: pods share cards on a cluster on this machine
	@dev/demo

.PHONY: test
test: tools ## Run every test, those on a real cluster included
	@dev/test

.PHONY: soak
soak: tools ## Run the repeated tests with their full counts
	@dev/test soak

.PHONY: bench
bench: tools $(APP) ## Print figures: latency, throughput, memory, start
	@dev/bench

.PHONY: build
build: $(APP) ## Compile and package the product
$(APP): $(SOURCES)
	@echo "Building the product …"
	@$(MVN) -q package -DskipTests
	@touch $(APP)

.PHONY: format
format: ## Format the Java sources
	@$(MVN) -q spotless:apply

.PHONY: up
up: ## Start the cluster of dev/nodes/default
	@dev/cluster up

.PHONY: down
down: ## Stop the cluster and leave nothing behind
	@dev/cluster down

.PHONY: load
load: $(APP) ## Build the product's image and load it on every node of the cluster
	@dev/cluster image "$$(dev/image)"

.PHONY: deploy
deploy: load ## Deploy the product to the cluster
	@dev/deploy

.PHONY: undeploy
undeploy: ## Remove the product from the cluster
	@dev/deploy --undo

.PHONY: tools
tools:
	@dev/tools

.PHONY: clean
clean: ## Remove what was built
	@rm -rf target
