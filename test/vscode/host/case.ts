/** A file in the workspace with a proposal open on it, for the tests of the review in the extension host. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';

export const before = 'def f(x):\n    y = 0\n    for i in x:\n        y += i\n    return y\n\n\ndef g(x):\n    return x * 2\n';
export const after = 'def f(x):\n    return sum(x)\n\n\ndef g(x):\n    return x + x\n';

export class Case {
  readonly dir: string;
  readonly name: string;
  review = '';

  constructor(name = 'prog.py') {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    this.dir = mkdtempSync(join(folder.uri.fsPath, 'case-'));
    this.name = name;
  }

  path(name = this.name): string {
    return join(this.dir, name);
  }

  write(text: string, name = this.name): this {
    writeFileSync(this.path(name), text);
    return this;
  }

  async propose(changes: { path: string; before: string; after: string }[]): Promise<this> {
    const root = vscode.Uri.file(this.dir).toString();
    const review: unknown = await vscode.commands.executeCommand('peagen.review.open', { root, title: 'a candidate', changes });
    assert.ok(typeof review === 'string', 'the review opened');
    this.review = review;
    return this;
  }

  open(text = before, to = after): Promise<this> {
    return this.write(text).propose([{ path: this.name, before: text, after: to }]);
  }

  document(name = this.name): Promise<vscode.TextDocument> {
    return Promise.resolve(vscode.workspace.openTextDocument(this.path(name)));
  }

  async text(name = this.name): Promise<string> {
    return (await this.document(name)).getText();
  }

  disk(name = this.name): string {
    return readFileSync(this.path(name), 'utf8');
  }

  async edit(line: number, text: string, to = line): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(vscode.Uri.file(this.path()), new vscode.Range(line, 0, to, 0), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  /** The lenses of the open hunks, as `line title`. */
  async lenses(name = this.name): Promise<string[]> {
    const document = await this.document(name);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', document.uri);
    return lenses
      .filter((lens) => lens.command?.command.startsWith('peagen.review'))
      .map((lens) => `${lens.range.start.line} ${lens.command?.title.replace(/\$\([a-z-]+\) /, '')}`);
  }

  async openHunks(name = this.name): Promise<number[]> {
    return (await this.lenses(name)).filter((lens) => lens.endsWith(' Accept')).map((lens) => Number.parseInt(lens, 10));
  }

  accept(hunk: string): Thenable<unknown> {
    return vscode.commands.executeCommand('peagen.review.accept', { reviewId: this.review, hunkId: hunk });
  }

  reject(hunk: string): Thenable<unknown> {
    return vscode.commands.executeCommand('peagen.review.reject', { reviewId: this.review, hunkId: hunk });
  }

  acceptAll(): Thenable<unknown> {
    return vscode.commands.executeCommand('peagen.review.acceptAll', { reviewId: this.review, hunkId: '0/h1' });
  }

  async show(): Promise<vscode.TextEditor> {
    return await vscode.window.showTextDocument(await this.document());
  }

  /** Closes what is open, and removes the file. */
  async end(): Promise<void> {
    await vscode.commands.executeCommand('peagen.review.close');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 90_000; !(await holds()); ) {
    assert.ok(Date.now() < deadline, `waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
