export interface CsvOptions {
  delimiter?: string;
  header?: boolean;
  trim?: boolean;
}

export type CsvRow = Record<string, string>;

function toObjects(rows: string[][]): CsvRow[] {
  const [names, ...body] = rows;
  if (names === undefined) return [];
  return body.map((row) => {
    const record: CsvRow = {};
    names.forEach((name, i) => {
      record[name] = row[i] ?? '';
    });
    return record;
  });
}

/**
 * Parses CSV text as spreadsheets write it: fields may be quoted, quotes are
 * doubled inside quoted fields, line ends may be \n or \r\n. With `header`
 * the rows come back as objects, otherwise as arrays. Blank lines are skipped.
 */
export function parseCsv(text: string, options: CsvOptions = {}): string[][] | CsvRow[] {
  const { delimiter = ',', header = false, trim = false } = options;
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let quoted = false;

  const endField = () => {
    row.push(trim ? field.trim() : field);
    field = '';
  };
  const endRow = () => {
    endField();
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  };

  for (let i = 0; i < text.length; i++) {
    const ch = text[i];
    if (quoted) {
      if (ch !== '"') {
        field += ch;
      } else if (text[i + 1] === '"') {
        field += '"';
        i++;
      } else {
        quoted = false;
      }
    } else if (ch === '"') {
      quoted = true;
    } else if (ch === delimiter) {
      endField();
    } else if (ch === '\n') {
      endRow();
    } else if (ch !== '\r' || text[i + 1] !== '\n') {
      field += ch;
    }
  }
  endRow();

  return header ? toObjects(rows) : rows;
}

export function inputs(): [string, CsvOptions?][] {
  let state = 7;
  const draw = (count: number) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const table = (rows: number, delimiter: string, end: string) => {
    const notes = ['ok', '', ' padded ', 'paid late', `"a${delimiter} b"`, '"said ""hi"" twice"', '"two\nlines"'];
    const lines = [['id', 'name', 'city', 'amount', 'note'].join(delimiter)];
    for (let id = 1; id <= rows; id++) {
      const name = `${['Ben', 'Eva', 'Lena', 'Zoe'][draw(4)]} ${['Adler', 'Jung', 'Otto', 'Weber'][draw(4)]}`;
      const city = ['Berlin', 'Köln', 'São Paulo', 'Wien'][draw(4)];
      lines.push([id, name, city, (draw(90000) / 100).toFixed(2), notes[draw(7)]].join(delimiter), ...(draw(30) ? [] : ['']));
    }
    return lines.join(end) + end;
  };
  return [
    ['a,b,c\n1,2,3\n'],
    [table(20, ';', '\r\n'), { delimiter: ';', header: true, trim: true }],
    [table(150, ',', '\n'), { header: true }],
    [table(2500, ',', '\n')],
  ];
}
