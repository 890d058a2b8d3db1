package io.baetyl.gpu.deviceplugin.kubelet;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * gRPC over unix sockets with the JDK's own sockets, so that no native library is needed. One
 * thread moves all bytes: an agent answers a few calls a minute.
 */
public final class DomainSockets implements AutoCloseable {
  /** A node with 16 cards of 288 GiB has a list of 1 MiB; the kubelet itself refuses 4 MiB. */
  private static final int MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

  // A pool would keep megabytes for each thread that ever touched a buffer.
  private static final ByteBufAllocator BUFFERS = new UnpooledByteBufAllocator(false);

  /** gRPC sets the option on every socket, and a unix socket complains that it has none. */
  private static final Boolean NONE = null;

  private final EventLoopGroup events =
      new NioEventLoopGroup(1, new DefaultThreadFactory("kubelet-io", true));
  private final ExecutorService calls =
      Executors.newCachedThreadPool(new DefaultThreadFactory("kubelet-call", true));

  /** A client of the server behind a socket. It connects with its first call. */
  public ManagedChannel channel(Path socket) {
    return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
        .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
        .withOption(ChannelOption.ALLOCATOR, BUFFERS)
        .withOption(ChannelOption.SO_KEEPALIVE, NONE)
        .eventLoopGroup(events)
        .executor(calls)
        .offloadExecutor(calls)
        .usePlaintext()
        // The path of a socket is no authority, and servers check that it is one.
        .overrideAuthority("localhost")
        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
        .build();
  }

  /** A server on a socket that does not exist yet. */
  public NettyServerBuilder server(Path socket) {
    return NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
        .channelType(NioServerDomainSocketChannel.class)
        .withOption(ChannelOption.ALLOCATOR, BUFFERS)
        .withChildOption(ChannelOption.ALLOCATOR, BUFFERS)
        .withChildOption(ChannelOption.SO_KEEPALIVE, NONE)
        .bossEventLoopGroup(events)
        .workerEventLoopGroup(events)
        .executor(calls)
        .maxInboundMessageSize(MAX_MESSAGE_BYTES);
  }

  @Override
  public void close() {
    events.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    calls.shutdown();
  }
}
