package io.baetyl.gpu.extender.watching;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store of an informer, which hands each object to the picture and keeps only what tells it
 * from others. The picture is complete when the informer says that it has synced: handlers of
 * events would run some time later.
 */
final class PictureStore<T extends HasMetadata> implements ItemStore<T> {
  private static final Logger LOG = LoggerFactory.getLogger(PictureStore.class);

  private final Map<String, T> known = new ConcurrentHashMap<>();
  private final Function<T, String> key;
  private final Predicate<T> put;
  private final Consumer<String> remove;
  private final UnaryOperator<T> stub;

  /**
   * @param key what an object is known by
   * @param put takes an object into the picture; false where the picture has no use for it
   * @param remove takes the object of a key out of the picture
   * @param stub an object with the same metadata, as far as {@link #identity} keeps it
   */
  PictureStore(
      Function<T, String> key, Predicate<T> put, Consumer<String> remove, UnaryOperator<T> stub) {
    this.key = key;
    this.put = put;
    this.remove = remove;
    this.stub = stub;
  }

  /** What tells an object from others. */
  static ObjectMeta identity(HasMetadata object) {
    var metadata = object.getMetadata();
    return new ObjectMetaBuilder()
        .withNamespace(metadata.getNamespace())
        .withName(metadata.getName())
        .withUid(metadata.getUid())
        .withResourceVersion(metadata.getResourceVersion())
        .build();
  }

  @Override
  public String getKey(T object) {
    return key.apply(object);
  }

  @Override
  public T put(String objectKey, T object) {
    try {
      return put.test(object) ? known.put(objectKey, stub.apply(object)) : forget(objectKey);
    } catch (RuntimeException unexpected) {
      // An exception here would end the informer, and with it the whole picture.
      LOG.error("An object could not be taken into account. object={}", objectKey, unexpected);
      return forget(objectKey);
    }
  }

  @Override
  public T remove(String objectKey) {
    return forget(objectKey);
  }

  private T forget(String objectKey) {
    var before = known.remove(objectKey);
    if (before != null) {
      remove.accept(objectKey);
    }
    return before;
  }

  @Override
  public Stream<String> keySet() {
    return known.keySet().stream();
  }

  @Override
  public Stream<T> values() {
    return known.values().stream();
  }

  @Override
  public int size() {
    return known.size();
  }

  @Override
  public T get(String objectKey) {
    return known.get(objectKey);
  }

  @Override
  public boolean isFullState() {
    return false;
  }
}
