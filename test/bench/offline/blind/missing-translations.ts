type Texts = Record<string, string>;

interface Gap {
  locale: string;
  key: string;
  kind: 'missing' | 'extra' | 'same' | 'placeholders';
}

function placeholders(text: string): string[] {
  return (text.match(/\{\w+\}/g) ?? []).sort();
}

/** What is wrong with the translations of an application, next to the texts of its main locale. */
export function missingTranslations(locales: Record<string, Texts>, main: string): { gaps: Gap[]; done: Record<string, number> } {
  const gaps: Gap[] = [];
  const done: Record<string, number> = {};
  for (const [locale, texts] of Object.entries(locales)) {
    if (locale === main) continue;
    for (const [key, text] of Object.entries(locales[main] ?? {})) {
      const translated = texts[key];
      if (translated === undefined) {
        gaps.push({ locale, key, kind: 'missing' });
      } else if (translated === text) {
        gaps.push({ locale, key, kind: 'same' });
      } else if (placeholders(translated).join() !== placeholders(text).join()) {
        gaps.push({ locale, key, kind: 'placeholders' });
      }
    }
    for (const key of Object.keys(texts)) {
      if (!Object.keys(locales[main] ?? {}).includes(key)) gaps.push({ locale, key, kind: 'extra' });
    }
    const wrong = gaps.filter((gap) => gap.locale === locale && gap.kind !== 'extra').length;
    const all = Object.keys(locales[main] ?? {}).length;
    done[locale] = all === 0 ? 100 : Math.round(((all - wrong) / all) * 100);
  }
  return { gaps, done };
}

export function inputs() {
  return [
    [
      {
        en: { title: 'Hello {name}', ok: 'OK', cancel: 'Cancel', items: '{count} items' },
        nb: { title: 'Hei {name}', ok: 'OK', items: '{antall} ting', old: 'Gammel' },
        de: { title: 'Hallo {name}', cancel: 'Abbrechen' },
      },
      'en',
    ],
    [{ en: {}, fr: { a: 'b' } }, 'en'],
  ];
}
