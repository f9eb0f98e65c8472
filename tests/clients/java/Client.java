// com.microsoft.onnxruntime: its JNI library over the C table; tensors, strings, maps, options, metadata, faults, threads.
// SPDX-License-Identifier: MIT
// usage: java -cp onnxruntime.jar:. -Donnxruntime.native.onnxruntime.path=LIBRARY Client MODELS
import ai.onnxruntime.*;
import java.nio.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;

public class Client {
  static void check(boolean right, String what) {
    if (!right) throw new AssertionError(what);
  }

  static void linear(OrtEnvironment env, String models) throws Exception {
    try (OrtSession.SessionOptions o = new OrtSession.SessionOptions()) {
      o.setIntraOpNumThreads(2);
      o.setOptimizationLevel(OrtSession.SessionOptions.OptLevel.ALL_OPT);
      o.addConfigEntry("session.intra_op.allow_spinning", "0");
      o.setSymbolicDimensionValue("rows", 2);
      o.addCPU(true);
      try (OrtSession s = env.createSession(models + "/linear.onnx", o)) {
        check(s.getInputNames().equals(Set.of("x")) && s.getOutputNames().equals(Set.of("y")), "names");
        TensorInfo in = (TensorInfo) s.getInputInfo().get("x").getInfo();
        check(in.type == OnnxJavaType.FLOAT && Arrays.equals(in.getShape(), new long[] {2, 3}), "input " + in);
        OnnxModelMetadata m = s.getMetadata();
        check(m.getProducerName().equals("clients") && m.getGraphName().equals("client"), "producer");
        check(m.getCustomMetadata().equals(Map.of("k", "v")), "metadata");
        float[][] x = {{1, 2, 3}, {4, 5, 6}};
        float[][] want = {{23, 29}, {50, 65}};
        try (OnnxTensor t = OnnxTensor.createTensor(env, x)) {
          for (int k = 0; k < 100; ++k)
            try (OrtSession.Result r = s.run(Map.of("x", t))) {
              check(Arrays.deepEquals((float[][]) r.get(0).getValue(), want), "result");
            }
          FloatBuffer memory = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asFloatBuffer();
          try (OnnxTensor y = OnnxTensor.createTensor(env, memory, new long[] {2, 2});
              OrtSession.Result r = s.run(Map.of("x", t), Set.of(), Map.of("y", y))) {
            check(memory.get(3) == 65, "an output of the caller");
          }
          ExecutorService pool = Executors.newFixedThreadPool(8);
          List<Future<Float>> all = new ArrayList<>();
          for (int k = 0; k < 200; ++k)
            all.add(pool.submit(() -> {
              try (OrtSession.Result r = s.run(Map.of("x", t))) {
                return ((float[][]) r.get(0).getValue())[1][1];
              }
            }));
          for (Future<Float> f : all) check(f.get() == 65, "threads");
          pool.shutdown();
        }
        try (OnnxTensor t = OnnxTensor.createTensor(env, new float[][] {{1, 2}, {3, 4}})) {
          s.run(Map.of("x", t)).close();
          check(false, "a wrong shape was taken");
        } catch (OrtException e) {
          check(e.getCode() == OrtException.OrtErrorCode.ORT_INVALID_ARGUMENT, "code " + e.getCode());
          check(e.getMessage().contains("index: 1 Got: 2 Expected: 3"), e.getMessage());
        }
        try (OrtSession.RunOptions run = new OrtSession.RunOptions(); OnnxTensor t = OnnxTensor.createTensor(env, x)) {
          run.setTerminate(true);
          s.run(Map.of("x", t), run).close();
          check(false, "terminate did nothing");
        } catch (OrtException e) {
          check(e.getMessage().contains("terminate flag"), e.getMessage());
        }
      }
    }
  }

  static void texts(OrtEnvironment env, String models) throws Exception {
    byte[] bytes = Files.readAllBytes(Path.of(models + "/text.onnx"));
    try (OrtSession s = env.createSession(bytes);
        OnnxTensor a = OnnxTensor.createTensor(env, new String[] {"tree ", "häuser "});
        OnnxTensor b = OnnxTensor.createTensor(env, new String[] {"house", "木"});
        OnnxTensor n = OnnxTensor.createTensor(env, new long[] {1, 2, -3});
        OrtSession.Result r = s.run(Map.of("a", a, "b", b, "count", n))) {
      check(Arrays.equals((String[]) r.get("c").get().getValue(), new String[] {"tree house", "häuser 木"}), "texts");
      check(Arrays.equals((long[]) r.get("twice").get().getValue(), new long[] {2, 4, -6}), "longs");
      check(Arrays.equals((boolean[]) r.get("flag").get().getValue(), new boolean[] {false, true, false}), "flags");
    }
  }

  static void maps(OrtEnvironment env, String models) throws Exception {
    try (OrtSession s = env.createSession(models + "/labels.onnx"); OnnxTensor x = OnnxTensor.createTensor(env, new float[][] {{1, 2, 3}});
        OrtSession.Result r = s.run(Map.of("x", x))) {
      OnnxSequence sequence = (OnnxSequence) r.get(0);
      check(sequence.getInfo().length == 1 && sequence.getInfo().sequenceOfMaps, "sequence of maps");
      OnnxMap map = (OnnxMap) sequence.getValue().get(0);
      check(map.getValue().equals(Map.of(7L, 1f, 8L, 2f, 9L, 3f)), "map " + map.getValue());
    }
  }

  public static void main(String[] a) throws Exception {
    OrtEnvironment env = OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL, "client");
    System.out.println(env.getVersion() + " " + OrtEnvironment.getAvailableProviders());
    check(OrtEnvironment.getAvailableProviders().contains(OrtProvider.CPU), "providers");
    linear(env, a[0]);
    texts(env, a[0]);
    maps(env, a[0]);
    try {
      env.createSession(a[0] + "/none.onnx");
      check(false, "a missing file was loaded");
    } catch (OrtException e) {
      check(e.getCode() == OrtException.OrtErrorCode.ORT_NO_SUCHFILE, "code " + e.getCode());
    }
    Files.readAllLines(Path.of("/proc/self/maps")).stream().filter(l -> l.contains("r-xp") && l.matches(".*lib(onnxruntime|tenon).*"))
        .map(l -> l.substring(l.lastIndexOf(' ') + 1)).distinct().forEach(System.out::println);
    System.out.println("done");
  }
}
