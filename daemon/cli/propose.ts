/** `--inputs propose`: asks a model for inputs, shows what the original did on each, and takes them when the user agrees. */
import { PeagenError } from '../../shared/errors.ts';
import { type Call, showArguments, showBefore } from '../../shared/judging.ts';
import { PlanProposal, type ProposedInputs, ProposeInputs } from '../../shared/protocol/judging.ts';
import type { FoundTarget } from '../../shared/protocol/targets.ts';
import type { TargetSpec } from '../../shared/run-spec.ts';
import { costText } from '../../shared/words/cost-text.ts';
import { say } from './output.ts';
import { agree, agreeToSpend } from './plan.ts';
import { whileWaiting } from './progress.ts';
import type { CommandSession } from './session.ts';
import { findTarget, type TargetOptions } from './target.ts';

const PROPOSE = 'propose';

export interface ProposeOptions extends TargetOptions {
  backend?: string;
  yes?: boolean;
  dryRun?: boolean;
  showPrompt?: boolean;
}

/** As `findTarget`, with inputs that a model proposes where that is asked for; where nothing may be paid for, with their cost. */
export async function findProposing(
  session: CommandSession,
  home: string,
  options: ProposeOptions,
  how: Parameters<typeof findTarget>[3] = {},
): Promise<FoundTarget> {
  const { inputs, ...others } = options;
  if (inputs !== PROPOSE) return await findTarget(session, home, options, how);
  const found = await findTarget(session, home, others, how);
  const calls = await proposedInputs(session, found.target, options);
  if (calls === undefined) return found;
  return { ...found, evaluator: { name: 'function', options: { inputs: calls } } };
}

/** The calls as JSON; undefined where nothing may be paid for. Throws `cancelled`, and `budget_exceeded` when no user can be asked. */
async function proposedInputs(session: CommandSession, target: TargetSpec, options: ProposeOptions): Promise<string | undefined> {
  const request = { target, count: 8, ...(options.backend === undefined ? {} : { backend: options.backend }) };
  const { expected, ...worst_case } = await session.client.request(PlanProposal, request);
  const cost = { expected: { candidates: 0, ...expected }, worst_case };
  if (options.dryRun === true || options.showPrompt === true) {
    say(`note: proposing inputs ${costText(cost) ?? 'costs nothing'}; none are asked for now`);
    return undefined;
  }
  await agreeToSpend('Proposing inputs', cost, 'Ask?', options.yes === true);
  const found = await whileWaiting('asking for inputs', session.client.request(ProposeInputs, request));
  for (const line of proposalLines(found)) say(line);
  if (found.proposals.length === 0) {
    throw new PeagenError('backend_failed', 'The model proposed no inputs that the original takes.', {
      hint: 'Try again, or give --inputs yourself.',
    });
  }
  await agree(
    `The original says what is right on these ${found.proposals.length} calls.`,
    'Judge by them?',
    options.yes === true,
  );
  return JSON.stringify(found.proposals.map(({ call }) => call));
}

/** For a user: each call with its outcome, and the calls that cannot be used. */
function proposalLines({ proposals, dropped }: ProposedInputs): string[] {
  return [
    ...proposals.map(
      ({ call, why, returned, raised, ms }) =>
        `${written(call)} ${raised === undefined ? `→ ${short(returned ?? '')}` : `raises ${raised}`}, ${ms.toFixed(1)} ms  ${why}`,
    ),
    ...dropped.map(({ text, reason }) => `dropped: ${short(text)} (${short(reason)})`),
  ];
}

function written(call: Call): string {
  return short(`${call.init === undefined ? '' : `${showArguments(call.init)}.`}${showArguments(call)}${showBefore(call)}`);
}

function short(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length <= 80 ? line : `${line.slice(0, 80)}…`;
}
