const sections = [
  ['feat', 'Added'],
  ['fix', 'Fixed'],
  ['perf', 'Improved'],
];

/** Writes a changelog in Markdown from commits, the newest first; a commit with a tag closes a release. */
export function buildChangelog(commits, options = {}) {
  const releases = [{ version: 'Unreleased', messages: [] }];
  for (const commit of commits) {
    if (commit.tag && isVersion(commit.tag)) {
      releases.push({ version: commit.tag, messages: [] });
    }
    const messages = releases[releases.length - 1].messages;
    // Cherry-picked commits come twice.
    if (!messages.includes(commit.message)) messages.push(commit.message);
  }
  releases.sort((a, b) => compareVersions(b.version, a.version));

  const lines = ['# Changelog'];
  for (const release of releases) {
    const body = [];
    const breaking = release.messages.filter((message) => parse(message).breaking);
    if (breaking.length > 0) {
      body.push('', '### Breaking', ...breaking.map((message) => entry(message, options.repository)));
    }
    for (const [type, title] of sections) {
      const own = release.messages
        .filter((message) => parse(message).type === type)
        .sort((a, b) => (parse(a).scope < parse(b).scope ? -1 : parse(a).scope > parse(b).scope ? 1 : 0));
      if (own.length > 0) body.push('', `### ${title}`, ...own.map((message) => entry(message, options.repository)));
    }
    if (body.length === 0 && !options.keepEmpty) continue;
    lines.push('', `## ${release.version.replace(/^v/, '')}`, ...body);
  }
  return lines.join('\n');
}

function isVersion(tag) {
  return /^v?\d+\.\d+\.\d+(-[a-z]+)?$/.test(tag);
}

function compareVersions(a, b) {
  if (a === 'Unreleased' || b === 'Unreleased') return Number(a === 'Unreleased') - Number(b === 'Unreleased');
  const [numbersA, stageA] = a.replace(/^v/, '').split('-');
  const [numbersB, stageB] = b.replace(/^v/, '').split('-');
  for (let index = 0; index < 3; index++) {
    const difference = Number(numbersA.split('.')[index]) - Number(numbersB.split('.')[index]);
    if (difference !== 0) return difference;
  }
  // A release comes after its previews.
  return Number(stageA === undefined) - Number(stageB === undefined);
}

function parse(message) {
  const [subject, ...rest] = message.split('\n');
  const match = /^(\w+)(?:\(([^)]*)\))?(!)?:\s*(.+)$/.exec(subject.trim());
  if (!match) return { type: 'other', scope: '', breaking: false, text: subject.trim() };
  const breaking = match[3] === '!' || rest.some((line) => line.startsWith('BREAKING CHANGE'));
  return { type: match[1].toLowerCase(), scope: match[2] ?? '', breaking, text: match[4] };
}

function entry(message, repository) {
  const { scope, text } = parse(message);
  const linked = repository ? text.replace(/#(\d+)/g, `[#$1](${repository}/issues/$1)`) : text;
  return `- ${scope ? `**${scope}:** ` : ''}${linked}`;
}

export function inputs() {
  let seed = 2008;
  const below = (limit) => {
    seed = (seed * 1664525 + 1013904223) % 4294967296;
    return Math.floor(seed / 65536) % limit;
  };
  const types = ['feat', 'fix', 'Fix', 'perf', 'chore', 'feat!', 'docs'];
  const scopes = ['', '(api)', '(ui)', '(build)', '(cli)'];
  const verbs = ['support', 'handle', 'rename', 'speed up', 'remove'];
  const things = ['empty files', 'the export', 'time zones', 'dark mode', 'long names', 'retries'];
  return [
    [1, {}],
    [12, { repository: 'https://example.org/app' }],
    [200, { keepEmpty: true }],
    [700, { repository: 'https://example.org/app' }],
  ].map(([count, options]) => {
    const commits = Array.from({ length: count }, (_, index) => {
      const type = types[below(7)];
      const scope = scopes[below(5)];
      const head = type.endsWith('!') ? `feat${scope}!` : type + scope;
      const issue = below(3) ? ` (#${below(400)})` : '';
      const text = `${verbs[below(5)]} ${things[below(6)]}${issue}`;
      const message = below(8) ? `${head}: ${text}` : `Merge branch ${below(9)}`;
      const commit = { message: below(25) ? message : `${message}\n\nBREAKING CHANGE: see the guide` };
      if (below(12) === 0) {
        commit.tag = below(6) ? `v${9 - Math.floor((index * 9) / count)}.${below(4)}.${below(3)}` : 'nightly';
        if (below(5) === 0) commit.tag += '-beta';
      }
      return commit;
    });
    return [commits, options];
  });
}
