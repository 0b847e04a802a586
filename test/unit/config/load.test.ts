import assert from 'node:assert/strict';
import { parseConfig } from '../../../daemon/config/load.ts';
import { PeagenError } from '../../../shared/errors.ts';

const parse = (text: string, env: Record<string, string> = {}, flags = {}) =>
  parseConfig({ text, file: '.peagen.toml', env, flags });

function failure(text: string, env: Record<string, string> = {}): string {
  try {
    parse(text, env);
  } catch (caught) {
    assert.ok(caught instanceof PeagenError);
    assert.equal(caught.code, 'invalid_config');
    return caught.line;
  }
  return assert.fail('expected a failure');
}

describe('config', () => {
  it('fills every default from an empty file', () => {
    const config = parse('');
    assert.equal(config.task_queue.provider, 'stub');
    assert.equal(config.task_queue.lease_ms, 30_000);
    assert.equal(config.worker.defaults.max_uptime, 4 * 3_600_000);
    assert.equal(config.evolve.stop.no_improve, 25);
    assert.equal(config.selector.epsilon.eps_init, 0.15);
  });

  it('prefers flags to the environment, and the environment to the file', () => {
    const text = '[evolve]\npopulation = 3\nseed = 1\nselector = "ucb"';
    const config = parse(text, { PEAGEN__EVOLVE__SEED: '2', PEAGEN__EVOLVE__POPULATION: '4' }, { evolve: { population: 5 } });
    assert.deepEqual([config.evolve.population, config.evolve.seed, config.evolve.selector], [5, 2, 'ucb']);
  });

  it('names the key, the line and the nearest name of an unknown key', () => {
    const line = failure('[evolve]\nseed = 1\n\n[evolve.stop]\nmax_generation = 5');
    assert.match(line, /evolve\.stop\.max_generation \(\.peagen\.toml:5\) is not a known key/);
    assert.match(line, /Did you mean "max_generations"/);
  });

  it('names the key, the line, the value and the expected type of a wrong value', () => {
    const line = failure('[evolve]\npopulation = "many"');
    assert.match(line, /evolve\.population \(\.peagen\.toml:2\) = "many": expected number/);
  });

  it('names a key that is missing, and the line of its table', () => {
    const line = failure('[[llm.backends]]\nname = "a"\nmodel = "m"\n[[llm.backends]]\nname = "b"');
    assert.match(line, /^llm\.backends\.1 \(\.peagen\.toml:4\) lacks "model": expected string/);
  });

  it('finds the line inside an array of tables', () => {
    const line = failure('[[llm.backends]]\nname = "a"\nmodel = "m"\n[[llm.backends]]\nname = "b"\nmodle = "m"');
    assert.match(line, /^llm\.backends\.1\.modle \(\.peagen\.toml:6\) is not a known key\. Did you mean "model"/);
  });

  it('names the environment variable of a wrong value', () => {
    assert.match(failure('[evolve.stop]\nbudget_usd = nan'), /budget_usd .* = NaN: expected a finite number/);
    assert.match(failure('', { PEAGEN__EVOLVE__POPULATION: 'lots' }), /PEAGEN__EVOLVE__POPULATION\) = "lots": expected number/);
  });

  it('names the value that came by the command line, not the one that it replaces', () => {
    const env = { PEAGEN__WORKER__DEFAULTS__CAPS: '["cpu"]' };
    assert.throws(() => parse('', env, { worker: { defaults: { caps: ['no tag!'] } } }), {
      message: /^worker\.defaults\.caps\.0 \(from the command line\) = "no tag!": expected a lower-case tag/,
    });
  });

  it('says where TOML is malformed', () => {
    assert.match(failure('[evolve\nseed = 1'), /\.peagen\.toml:1:\d+ is not valid TOML/);
  });

  it('refuses a password in the file', () => {
    assert.match(failure('[task_queue]\nprovider = "redis"\nurl = "redis://:hunter2@host:6379"'), /PEAGEN_REDIS_PASSWORD/);
  });

  it('takes the plain sandbox from the environment and the command line, and refuses it in a file', () => {
    const text = '[evaluate]\nsandbox = "plain"';
    assert.match(failure(text), /sandbox = "plain" in \.peagen\.toml is refused: .*PEAGEN__EVALUATE__SANDBOX=plain/);
    const named = [parse('', { PEAGEN__EVALUATE__SANDBOX: 'plain' }), parse(text, {}, { evaluate: { sandbox: 'plain' } })];
    assert.deepEqual(
      named.map(({ evaluate }) => evaluate.sandbox),
      ['plain', 'plain'],
    );
    assert.equal(parse(text, { PEAGEN__EVALUATE__SANDBOX: 'auto' }).evaluate.sandbox, 'auto');
  });

  it('accepts idle_ms as the older name of lease_ms', () => {
    assert.equal(parse('[task_queue]\nidle_ms = 5000').task_queue.lease_ms, 5000);
  });
});
