import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';

const ID = 'peagen.peagen';

describe('the extension', () => {
  it('reads little to activate, and says how long it took', async () => {
    const extension = vscode.extensions.getExtension(ID);
    assert.ok(extension);
    await extension.activate();
    const [measured] = performance.getEntriesByName('peagen/activated');
    assert.ok(measured);
    console.log(`peagen: activation ${measured.duration.toFixed(1)} ms`);
    const { size } = statSync(join(extension.extensionPath, 'dist', 'extension.cjs'));
    assert.ok(size < 50_000, `${size} bytes are read for it`);
  });

  it('has every command it contributes from its activation on', async () => {
    const extension = vscode.extensions.getExtension(ID);
    await extension?.activate();
    const contributed: { command: string }[] = extension?.packageJSON.contributes.commands ?? [];
    const known = new Set(await vscode.commands.getCommands(true));
    assert.ok(contributed.length > 10);
    assert.deepEqual(
      contributed.map(({ command }) => command).filter((command) => !known.has(command)),
      [],
    );
  });

  it('uses no key that VS Code uses', async () => {
    const extension = vscode.extensions.getExtension(ID);
    const ours: { key: string; mac?: string }[] = extension?.packageJSON.contributes.keybindings ?? [];
    await vscode.commands.executeCommand('workbench.action.openDefaultKeybindingsFile');
    const document = vscode.window.activeTextEditor?.document;
    assert.ok(document);
    const bindings = document.getText().split('{ "key": "').slice(1);
    const taken = new Set(bindings.filter((text) => !text.includes('"peagen.')).map((text) => text.slice(0, text.indexOf('"'))));
    assert.ok(taken.size > 100, 'the default keys are readable');
    assert.deepEqual(
      ours.flatMap(({ key, mac }) => [key, ...(mac === undefined ? [] : [mac])]).filter((key) => taken.has(key)),
      [],
    );
  });
});
