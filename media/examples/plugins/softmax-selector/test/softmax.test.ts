import assert from 'node:assert/strict';
import { archiveOf, createRandom, pluginContext, selectorConformance, shaOf } from 'peagen/plugin/testing';
import plugin from '../src/softmax.js';

selectorConformance('softmax', plugin);

describe('softmax', () => {
  it('takes the champion whose children gain, once the others have shown that theirs do not', () => {
    const archive = archiveOf([0, 1, 2, 3].map((id) => ({ id, fitness: 1, feature: id })));
    const selector = plugin.make({ temperature: 0.01, rate: 0.5 }, pluginContext('softmax'));
    for (const id of [0, 1, 3]) selector.feedback(shaOf(id), 0);
    selector.feedback(shaOf(2), 0.8);
    const random = createRandom(1);
    for (let i = 0; i < 20; i++) assert.equal(selector.select(archive, random).sha256, shaOf(2));
  });
});
