# The product in one image; its first argument picks the role: operator, metrics, device-plugin, scheduler-extender.
# Build the program before: ./mvnw package -DskipTests
ARG JDK_IMAGE=docker.io/library/eclipse-temurin:25-jdk
# With libstdc++, which Sophgo's bmlib needs.
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian12

FROM ${JDK_IMAGE} AS jre
RUN ["jlink", "--output", "/jre", "--no-header-files", "--no-man-pages", "--strip-java-debug-attributes", "--compress", "zip-6", \
     "--add-modules", "java.base,java.instrument,java.logging,java.management,java.naming,java.net.http,java.security.jgss,java.sql,java.xml,jdk.crypto.ec,jdk.httpserver,jdk.management,jdk.net,jdk.unsupported,jdk.zipfs"]
# The JDK's classes, parsed once and for all: jlink makes such an archive too, but not for compact object headers.
RUN ["/jre/bin/java", "-XX:+UseCompactObjectHeaders", "-Xshare:dump"]

# What changes seldom comes first: a new build of the product is a layer of a few hundred kilobytes.
FROM ${RUNTIME_IMAGE}
ENV PATH=/opt/java/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY --from=jre /jre /opt/java
COPY target/quarkus-app/lib /app/lib
COPY target/quarkus-app/quarkus-run.jar /app/
COPY target/quarkus-app/quarkus /app/quarkus
COPY target/quarkus-app/app /app/app
# No USER: agents need root to reach devices and kubelet's sockets; every other pod sets runAsUser itself.
# jboss-threads clears thread locals through java.lang; the accelerators' libraries are called through the FFM API. A role that
# is out of memory ends, to be started anew: one that lost a thread to it would answer its probes and do its work no longer.
ENTRYPOINT ["java", "-XX:+ExitOnOutOfMemoryError", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED", "-cp", "/app/quarkus-run.jar:/app/app/*:/app/lib/main/*:/app/lib/boot/*", "io.baetyl.gpu.Main"]
