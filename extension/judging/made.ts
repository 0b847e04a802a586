/** Inputs that Peagen makes by itself, shown with what the original did on them. Enter uses them; any can be removed or edited. */
import * as vscode from 'vscode';
import type { Call } from '../../shared/judging.ts';
import { type DerivedInput, type DerivedInputs, DeriveInputs } from '../../shared/protocol/judging.ts';
import type { Selected } from '../commands/selection/selection.ts';
import { callsWorth, coverageText } from '../confidence.ts';
import { BACK, pickOne, type StepAnswer, whileBusy } from '../dialogue/steps.ts';
import { byCount } from '../words.ts';
import { callText } from './call-text.ts';
import type { Judging } from './remembered.ts';
import type { EditCalls } from './tab.ts';

interface Row extends vscode.QuickPickItem {
  readonly act?: 'use' | 'edit';
  readonly input?: DerivedInput;
}

/** In the order of the table, which is that of a reader's interest. */
const uses = ['given', 'timed', 'visible', 'heldout'] as const;

export async function offerMade(selected: Selected, edit: EditCalls): Promise<StepAnswer<Judging>> {
  const { client, target, name } = selected;
  const making = vscode.l10n.t('Making inputs for {0} and running the original on them…', name);
  const made = await whileBusy(making, (token) => client.request(DeriveInputs, { target }, token));
  let kept = uses.flatMap((use) => made.inputs.filter((input) => input.use === use));
  const all = kept.length;
  for (;;) {
    const pick = await pickOne<Row>({
      title: vscode.l10n.t('Inputs made for {0}', name),
      placeholder: vscode.l10n.t('Press Enter to use these calls. The results of the original count as correct.'),
      back: true,
      items: rowsOf(made, kept),
      onButton: ({ input }) => {
        kept = kept.filter((each) => each !== input);
        return rowsOf(made, kept);
      },
    });
    if (pick === BACK || pick === undefined) return pick;
    if (pick.act === 'edit') return await edit(kept.filter(({ use }) => use !== 'heldout').map(({ call }) => call));
    // The daemon makes the same calls again for a run that is given none.
    if (pick.act === 'use') return kept.length === all ? { kind: 'made' } : chosenCalls(kept);
  }
}

/** The calls that are left keep their use; something has to be timed. */
function chosenCalls(kept: readonly DerivedInput[]): Judging {
  const of = (...wanted: DerivedInput['use'][]): Call[] => kept.filter(({ use }) => wanted.includes(use)).map(({ call }) => call);
  const [calls, derived, heldout] = [of('given', 'timed'), of('visible'), of('heldout')];
  if (calls.length > 0) return { kind: 'calls', calls, derived, heldout };
  return derived.length > 0
    ? { kind: 'calls', calls: derived.slice(0, 1), derived: derived.slice(1), heldout }
    : { kind: 'calls', calls: heldout.slice(0, 1), derived, heldout: heldout.slice(1) };
}

function rowsOf({ confidence }: DerivedInputs, kept: readonly DerivedInput[]): Row[] {
  const count = kept.length;
  const { mark, lack } = callsWorth(confidence);
  const titles = {
    given: vscode.l10n.t('given by you'),
    timed: vscode.l10n.t('compared and timed'),
    visible: vscode.l10n.t('compared'),
    heldout: vscode.l10n.t('kept from the search, compared at the end'),
  };
  return [
    {
      label: `${mark} ${byCount(count, vscode.l10n.t('Use this {0} call', count), vscode.l10n.t('Use these {0} calls', count))}`,
      description: coverageText(confidence),
      ...(lack === '' ? {} : { detail: vscode.l10n.t('{0} Add inputs if you can.', lack) }),
      act: 'use',
    },
    {
      label: vscode.l10n.t('$(edit) Edit or add calls…'),
      description: vscode.l10n.t('as JSON, in an editor tab'),
      act: 'edit',
    },
    ...confidence.limits.map((limit) => ({ label: `$(info) ${limit}` })),
    ...uses.flatMap((use): Row[] => {
      const here = kept.filter((input) => input.use === use);
      if (here.length === 0) return [];
      return [{ label: titles[use], kind: vscode.QuickPickItemKind.Separator }, ...here.map((input) => rowOf(input, count > 1))];
    }),
  ];
}

const LONGEST = 80;

function rowOf(input: DerivedInput, removable: boolean): Row {
  const label = callText(input.call);
  const { returned, raised } = input;
  return {
    label: label.length > LONGEST ? `${label.slice(0, LONGEST)}…` : label,
    description: raised !== undefined ? vscode.l10n.t('raises {0}', raised) : returned === undefined ? '' : `→ ${returned}`,
    input,
    ...(removable ? { buttons: [{ iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Remove this call') }] } : {}),
  };
}
