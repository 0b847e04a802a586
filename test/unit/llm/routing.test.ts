import assert from 'node:assert/strict';
import fc from 'fast-check';
import { endpointOf, presets } from '../../../daemon/llm/presets.ts';
import { type Route, type RoutingInput, route } from '../../../daemon/llm/routing.ts';
import { createRandom } from '../../../daemon/random.ts';
import { backendConfig } from '../../llm/config.ts';

const backends = [
  { name: 'a', weight: 1 },
  { name: 'b', weight: 3 },
  { name: 'c', weight: 6 },
];

function routed(over: Partial<RoutingInput>, seed = 1): Route {
  const random = createRandom('routing', seed);
  return route({ asked: 'auto', fallback: undefined, backends, records: new Map(), random: () => random.next(), ...over });
}

function shares(over: Partial<RoutingInput>): Record<string, number> {
  const counts: Record<string, number> = { a: 0, b: 0, c: 0 };
  for (let seed = 0; seed < 4000; seed++) {
    const [first = ''] = routed(over, seed).order;
    counts[first] = (counts[first] ?? 0) + 1 / 4000;
  }
  return counts;
}

describe('routing', () => {
  it('goes to each back end once, whatever is asked and drawn', () => {
    fc.assert(
      fc.property(fc.constantFrom('auto', 'weighted', 'all'), fc.nat(), (asked, seed) => {
        assert.deepEqual(routed({ asked }, seed).order.toSorted(), ['a', 'b', 'c']);
      }),
    );
  });

  it('shares the questions by weight', () => {
    const { a = 0, b = 0, c = 0 } = shares({ asked: 'weighted' });
    assert.ok(Math.abs(a - 0.1) < 0.03 && Math.abs(b - 0.3) < 0.03 && Math.abs(c - 0.6) < 0.03, JSON.stringify({ a, b, c }));
  });

  it('prefers what was worth more, and still asks the others', () => {
    const records = new Map([
      ['a', { asked: 20, worth: 18 }],
      ['b', { asked: 20, worth: 9 }],
      ['c', { asked: 20, worth: 9 }],
    ]);
    const { a = 0, b = 0, c = 0 } = shares({ records, backends: backends.map(({ name }) => ({ name, weight: 1 })) });
    assert.ok(a > 0.7 && b > 0.01 && c > 0.01, JSON.stringify({ a, b, c }));
  });

  it('takes names in the order given, once each', () => {
    assert.deepEqual(routed({ asked: 'c, a,c' }), { mode: 'first', order: ['c', 'a'] });
  });

  it('reads the configured default for auto, and only for auto', () => {
    assert.deepEqual(routed({ fallback: 'all' }).mode, 'all');
    assert.deepEqual(routed({ fallback: 'b,c' }).order, ['b', 'c']);
    assert.deepEqual(routed({ fallback: 'b', asked: 'a' }).order, ['a']);
  });

  it('names what is there when a name is not', () => {
    assert.throws(() => routed({ asked: 'wieghted' }), { hint: /Did you mean "weighted"\? Configured: a, b, c/ });
    assert.throws(() => routed({ backends: [] }), { code: 'unavailable' });
  });
});

describe('presets', () => {
  it('lead to an http address, or say that base_url is missing', () => {
    for (const preset of Object.keys(presets)) {
      if (['azure', 'compatible'].includes(preset)) {
        assert.throws(() => endpointOf(backendConfig({ preset })), { message: /base_url is missing/ });
      } else {
        assert.match(endpointOf(backendConfig({ preset })).baseUrl, /^https?:\/\/.*\/v1(beta)?$/);
      }
    }
  });

  it('give way to what is configured', () => {
    const backend = backendConfig({ preset: 'openai', base_url: 'http://127.0.0.1:1/v1', api_key_env: 'MINE' });
    assert.deepEqual(endpointOf(backend), { baseUrl: 'http://127.0.0.1:1/v1', keyEnv: 'MINE', protocol: 'chat' });
  });

  it('refuse an address of another kind', () => {
    for (const base_url of ['file:///etc/passwd', 'localhost:8080', '']) {
      assert.throws(() => endpointOf(backendConfig({ base_url })), { code: 'invalid_config' });
    }
  });
});
