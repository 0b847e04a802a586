import assert from 'node:assert/strict';
import type { lm } from 'vscode';
import { registerAgents } from '../../../extension/agents/register.ts';
import type { Peagen } from '../../../extension/peagen.ts';

type Offered = Partial<typeof lm>;

describe("what the editor's own agents are offered", () => {
  const warnings: string[] = [];
  // Registering uses only the log of all that a window has.
  const peagen = { log: { warn: (line: string) => warnings.push(line) } } as unknown as Peagen;
  const taken: string[] = [];
  const take = (name: string) => {
    taken.push(name);
    return { dispose: () => undefined };
  };

  beforeEach(() => {
    warnings.length = 0;
    taken.length = 0;
  });

  it('is nothing, and nothing is said, in an editor without the interface', () => {
    assert.deepEqual(registerAgents(peagen, undefined), []);
    assert.deepEqual(registerAgents(peagen, {}), []);
    assert.deepEqual(warnings, []);
  });

  it('is what the editor knows of it: tools without a server definition', () => {
    const part: Offered = { registerTool: take };
    assert.equal(registerAgents(peagen, part).length, 4);
    assert.deepEqual(taken, ['peagen_evolve', 'peagen_judge', 'peagen_archive', 'peagen_propose']);
    assert.deepEqual(warnings, []);
  });

  it('is all else when the editor refuses one of them', () => {
    const whole: Offered = {
      registerTool: (name) => {
        if (name === 'peagen_judge') throw new Error('tools are off');
        return take(name);
      },
      registerMcpServerDefinitionProvider: take,
    };
    assert.equal(registerAgents(peagen, whole).length, 4);
    assert.deepEqual(taken, ['peagen_evolve', 'peagen_archive', 'peagen_propose', 'peagen.mcp']);
    assert.deepEqual(warnings, ["Not offered to the editor's agents: Error: tools are off"]);
  });
});
