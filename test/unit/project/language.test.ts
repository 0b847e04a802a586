/** Everything that anyone reads is plain technical English: words of the private dialect of earlier versions are refused. */
import assert from 'node:assert/strict';
import { proseOf, trackedFiles } from '../../prose.ts';

interface Rule {
  readonly refused: RegExp;
  readonly instead: string;
  /** Holds only for the first line of a comment. */
  readonly opening?: true;
}

const RULES: readonly Rule[] = [
  { refused: /\bpersons?\b/i, instead: 'user' },
  { refused: /\banew\b/i, instead: 'again' },
  { refused: /\bbesides?\b/i, instead: 'next to, in addition to, other than' },
  { refused: /\bmend(s|ed|ing)?\b/i, instead: 'fix, repair' },
  { refused: /\bwhoever\b/i, instead: 'the one who; name it' },
  { refused: /\bso (many|long)\b(?! as\b| that\b)/i, instead: 'the number itself' },
  { refused: /\btells\b/i, instead: 'reports, shows, says' },
  { refused: /\b(is|are|was|were) told\b/i, instead: 'is reported, is shown, learns' },
  {
    refused: /(?<!\bthere )\bis no (?!longer|more|less|use|such|other|need|one|reason|limit|way|room|match)[a-z]+/i,
    instead: 'is not a',
  },
  { refused: /^(\/\*\*|\/\/|\/\*|#)\s+Answers\b/, instead: 'Returns', opening: true },
  { refused: /\bhears\b/i, instead: 'is called with, receives, learns' },
  { refused: /\bnobody's\b/i, instead: 'is not used, is not counted' },
  { refused: /(?<=[.:;] )(Answers|answers) (whether|how many|the function)\b/, instead: 'returns' },
  {
    refused: /^(\/\*\*|\/\/|\/\*|#)\s+Who (?!has to)\w+/,
    instead: 'a subject: the caller, the program, the user',
    opening: true,
  },
  { refused: /^(\/\*\*|\/\/|\/\*|#)\s+Of\b/, instead: 'a sentence with a subject and a verb', opening: true },
];
/** Where the words are named or are data. */
const EXEMPT = [
  'daemon/render/jinja/words.ts',
  'test/bench/dashboard.ts',
  'test/unit/project/language.test.ts',
  'test/unit/render/render-corpus.ts',
  'test/unit/engine/export-git.test.ts',
  'test/unit/llm/prompt-snapshots.test.ts',
];

describe('the texts of the repository', () => {
  it('have no word of the private dialect', async () => {
    const found: string[] = [];
    for (const path of trackedFiles().filter((each) => !EXEMPT.includes(each)))
      for (const { at, text, opens } of await proseOf(path))
        for (const { refused, instead, opening } of RULES)
          if ((opening === undefined || opens) && refused.test(text))
            found.push(`${at}: ${refused.exec(text)?.[0]} → ${instead}`);
    assert.deepEqual(found, []);
  });
});
