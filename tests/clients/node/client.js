// onnxruntime-node: sessions from a file and from bytes, tensors of several types, faults, many runs.
// SPDX-License-Identifier: MIT
// usage: node client.js MODELS     (onnxruntime-node in NODE_PATH; its addon takes libonnxruntime.so.1 from LD_LIBRARY_PATH)
const assert = require('assert');
const fs = require('fs');
const ort = require('onnxruntime-node');

async function main(models) {
  assert(ort.listSupportedBackends().some((b) => b.name === 'cpu'));
  const linear = await ort.InferenceSession.create(`${models}/linear.onnx`, {executionProviders: ['cpu'], graphOptimizationLevel: 'all', intraOpNumThreads: 2});
  assert.deepStrictEqual([linear.inputNames, linear.outputNames], [['x'], ['y']]);
  const x = new ort.Tensor('float32', Float32Array.from([1, 2, 3, 4, 5, 6]), [2, 3]);
  for (let k = 0; k < 200; ++k) {
    const {y} = await linear.run({x});
    assert.deepStrictEqual([y.dims, Array.from(y.data)], [[2, 2], [23, 29, 50, 65]]);
  }
  const meta = linear.inputMetadata[0];
  assert.deepStrictEqual([meta.name, meta.type, meta.shape], ['x', 'float32', ['rows', 3]]);

  const text = await ort.InferenceSession.create(fs.readFileSync(`${models}/text.onnx`));
  const out = await text.run({a: new ort.Tensor(['tree ', 'häuser ']), b: new ort.Tensor(['house', '木']), count: new ort.Tensor('int64', [1n, 2n, -3n])});
  assert.deepStrictEqual(out.c.data, ['tree house', 'häuser 木']);
  assert.deepStrictEqual(Array.from(out.twice.data), [2n, 4n, -6n]);
  assert.deepStrictEqual(Array.from(out.flag.data).map(Boolean), [false, true, false]);
  const one = await text.run({a: new ort.Tensor(['p']), b: new ort.Tensor(['q']), count: new ort.Tensor('int64', [5n])}, ['twice']);
  assert.deepStrictEqual(Object.keys(one), ['twice']);

  const given = new Float32Array(4);
  const into = new ort.Tensor('float32', given, [2, 2]);
  const kept = await linear.run({x}, {y: into});
  assert.deepStrictEqual(Array.from(kept.y.data), [23, 29, 50, 65]);

  await assert.rejects(linear.run({x: new ort.Tensor('float32', new Float32Array(4), [2, 2])}), /index: 1 Got: 2 Expected: 3/);
  await assert.rejects(ort.InferenceSession.create(`${models}/none.onnx`), /doesn't exist/);
  await assert.rejects(ort.InferenceSession.create(Buffer.from('no model')));

  const profiled = await ort.InferenceSession.create(`${models}/linear.onnx`, {enableProfiling: true, profileFilePrefix: `${models}/node_profile`});
  await profiled.run({x});
  profiled.endProfiling();
  assert(fs.readdirSync(models).some((f) => f.startsWith('node_profile')));

  const all = await Promise.all(Array.from({length: 16}, () => linear.run({x})));
  for (const r of all) assert.strictEqual(r.y.data[3], 65);
  await linear.release();
  await text.release();
  const mapped = fs.readFileSync('/proc/self/maps', 'utf8').split('\n').filter((l) => /r-xp/.test(l) && /lib(onnxruntime|tenon)/.test(l));
  console.log([...new Set(mapped.map((l) => l.split(' ').pop()))].join('\n'));
}

main(process.argv[2]).then(() => console.log('done')).catch((e) => {
  console.error(e);
  process.exit(1);
});
