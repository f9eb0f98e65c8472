// The crate ort: sessions, options, tensors, strings, maps, bindings, run options, metadata, custom operators, faults, threads.
// SPDX-License-Identifier: MIT
// usage: ORT_DYLIB_PATH=LIBRARY client MODELS
use ort::{
    environment::Environment,
    session::{builder::GraphOptimizationLevel, RunOptions, Session},
    value::{DynMapValueType, Tensor, TensorRef},
};
use std::collections::HashMap;

type Done = Result<(), Box<dyn std::error::Error>>;

fn linear(env: &Environment, models: &str) -> Done {
    let path = format!("{models}/linear.onnx");
    let mut session = Session::builder(env)?
        .with_optimization_level(GraphOptimizationLevel::Level3)?
        .with_intra_threads(2)?
        .with_config_entry("session.intra_op.allow_spinning", "0")?
        .commit_from_file(&path)?;
    assert_eq!(session.inputs()[0].name(), "x");
    assert_eq!(session.outputs()[0].name(), "y");
    let metadata = session.metadata()?;
    assert_eq!(metadata.producer().as_deref(), Some("clients"));
    assert_eq!(metadata.custom("k").as_deref(), Some("v"));
    drop(metadata);
    let x = ndarray::array![[1f32, 2., 3.], [4., 5., 6.]];
    for _ in 0..100 {
        let outputs = session.run(ort::inputs!["x" => TensorRef::from_array_view(&x)?])?;
        let y = outputs["y"].try_extract_array::<f32>()?;
        assert_eq!(y, ndarray::array![[23f32, 29.], [50., 65.]].into_dyn());
    }
    let mut binding = session.create_binding()?;
    binding.bind_input("x", &Tensor::from_array(x.clone())?)?;
    binding.bind_output_to_device("y", &session.allocator().memory_info())?;
    let bound = session.run_binding(&binding)?;
    assert_eq!(bound["y"].try_extract_array::<f32>()?[[1, 1]], 65.);
    drop(bound);
    let wrong = session.run(ort::inputs!["x" => Tensor::from_array(([2usize, 2], vec![0f32; 4]))?]).err().expect("a wrong shape was taken");
    assert!(wrong.to_string().contains("index: 1 Got: 2 Expected: 3"), "{wrong}");
    let mut options = RunOptions::new()?;
    options.set_tag("client")?;
    options.terminate()?;
    let stopped = session.run_with_options(ort::inputs!["x" => TensorRef::from_array_view(&x)?], &options).err().expect("terminate did nothing");
    assert!(stopped.to_string().contains("terminate flag"), "{stopped}");
    options.unterminate()?;
    session.run_with_options(ort::inputs!["x" => TensorRef::from_array_view(&x)?], &options)?;
    Ok(())
}

fn texts(env: &Environment, models: &str) -> Done {
    let mut session = Session::builder(env)?.commit_from_memory(&std::fs::read(format!("{models}/text.onnx"))?)?;
    let outputs = session.run(ort::inputs![
        "a" => Tensor::from_string_array(([2usize], ["tree ", "häuser "].as_slice()))?,
        "b" => Tensor::from_string_array(([2usize], ["house", "木"].as_slice()))?,
        "count" => Tensor::from_array(([3usize], vec![1i64, 2, -3]))?
    ])?;
    assert_eq!(outputs["c"].try_extract_strings()?.1, ["tree house", "häuser 木"]);
    assert_eq!(outputs["twice"].try_extract_tensor::<i64>()?.1, [2, 4, -6]);
    assert_eq!(outputs["flag"].try_extract_tensor::<bool>()?.1, [false, true, false]);
    Ok(())
}

fn maps(env: &Environment, models: &str) -> Done {
    let mut session = Session::builder(env)?.commit_from_file(format!("{models}/labels.onnx"))?;
    let outputs = session.run(ort::inputs![Tensor::from_array(([1usize, 3], vec![1f32, 2., 3.]))?])?;
    let maps = outputs[0].try_extract_sequence::<DynMapValueType>()?;
    assert_eq!(maps.len(), 1);
    let map = maps[0].try_extract_map::<i64, f32>()?;
    assert_eq!(map, HashMap::from([(7, 1.), (8, 2.), (9, 3.)]));
    Ok(())
}

fn steps(env: &Environment, models: &str) -> Done {
    let mut session = Session::builder(env)?.commit_from_file(format!("{models}/steps.onnx"))?;
    let outputs = session.run(ort::inputs![
        "trips" => Tensor::from_array(((), vec![5i64]))?,
        "x" => Tensor::from_array(([2usize], vec![1f32, -1.]))?
    ])?;
    assert_eq!(outputs["y"].try_extract_tensor::<f32>()?.1, [32., -32.]);
    assert_eq!(outputs["every"].try_extract_array::<f32>()?.shape(), [5, 2]);
    Ok(())
}

fn main() -> Done {
    let models = std::env::args().nth(1).expect("the folder of models");
    let env = ort::init().with_name("client").build()?;
    linear(&env, &models)?;
    texts(&env, &models)?;
    maps(&env, &models)?;
    steps(&env, &models)?;
    let missing = Session::builder(&env)?.commit_from_file(format!("{models}/none.onnx")).err().expect("a missing file was loaded");
    assert!(missing.to_string().contains("does not exist"), "{missing}");
    assert!(Session::builder(&env)?.commit_from_memory(b"no model").is_err());
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (env, models) = (env.clone(), models.clone());
            std::thread::spawn(move || linear(&env, &models).map_err(|e| e.to_string()))
        })
        .collect();
    for t in threads {
        t.join().expect("a thread ended early")?;
    }
    println!("done");
    Ok(())
}
