import assert from 'node:assert/strict';
import * as vscode from 'vscode';

const ID = 'peagen.peagen';

describe('the extension', () => {
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
