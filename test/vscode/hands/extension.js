/**
 * Commands for the tests in a window: open a proposal from proposal.json, put a comment of another extension, call a
 * language model tool as call.json says and write what came of it to answer.json.
 */
const { existsSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const vscode = require('vscode');

exports.activate = (context) => {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  context.subscriptions.push(
    vscode.commands.registerCommand('hands.propose', async () => {
      const proposal = JSON.parse(readFileSync(vscode.Uri.joinPath(folder.uri, 'proposal.json').fsPath, 'utf8'));
      await vscode.commands.executeCommand('peagen.review.open', { root: folder.uri.toString(), ...proposal });
    }),
    vscode.commands.registerCommand('hands.comment', () => {
      const controller = vscode.comments.createCommentController('hands', 'Hands');
      const { document } = vscode.window.activeTextEditor;
      const thread = controller.createCommentThread(document.uri, new vscode.Range(0, 0, 0, 0), [
        { body: 'A question of someone else', mode: vscode.CommentMode.Preview, author: { name: 'Someone' } },
      ]);
      thread.state = vscode.CommentThreadState.Unresolved;
      context.subscriptions.push(controller);
    }),
    vscode.commands.registerCommand('hands.agent', async () => {
      const file = (name) => vscode.Uri.joinPath(folder.uri, name).fsPath;
      // Taken once, however often it is asked for.
      if (!existsSync(file('call.json'))) return;
      const { tool, input } = JSON.parse(readFileSync(file('call.json'), 'utf8'));
      rmSync(file('call.json'));
      const tools = vscode.lm.tools.map(({ name }) => name);
      const answer = await vscode.lm.invokeTool(tool, { input, toolInvocationToken: undefined }).then(
        ({ content }) => ({ text: content.map(({ value }) => value).join('') }),
        (error) => ({ error: error.message }),
      );
      writeFileSync(file('answer.part'), JSON.stringify({ tools, ...answer }));
      renameSync(file('answer.part'), file('answer.json'));
    }),
  );
};
