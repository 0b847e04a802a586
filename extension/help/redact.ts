/** Takes what is private out of a text that a user may publish: keys, passwords, names of folders, machines and the user. */

interface Private {
  readonly home: string;
  readonly user: string;
  readonly host: string;
  /** Workspace folders. */
  readonly folders: readonly string[];
  /** Other folders, each with what stands for it: those of the extension and of the daemons. */
  readonly places: readonly (readonly [folder: string, mark: string])[];
  /** Values that are secret wherever they stand. */
  readonly secrets: readonly string[];
}

/** Shorter values are ordinary words more often than secrets. */
const MIN_SECRET = 6;
/** Names of variables, settings and headers whose values are secret. */
const NAMED =
  /((?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|authorization|credential)[\w-]*["']?\s*[:=]\s*["']?)(?:bearer\s+)?[^\s"',;}]+/gi;
/** Keys of well-known providers, and anything as long and as random. */
const KEYS =
  /\b(?:sk|pk|rk|gsk|ghp|gho|ghs|github_pat|glpat|xox[abp]|AKIA|AIza|hf)[-_A-Za-z0-9]{12,}\b|\bBearer\s+[\w.~+/-]+=*|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\b(?=\w*[0-9])(?=\w*[A-Z])(?=\w*[a-z])\w{32,}\b/g;
const URL_LOGIN = /([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;
const URL_HOST = /([a-z][a-z0-9+.-]*:\/\/(?:<login>@)?)(?!localhost|127\.0\.0\.1|\[::1\])[\w.-]+/gi;
const MAIL = /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g;

export function redact(text: string, { home, user, host, folders, places, secrets }: Private): string {
  let out = text;
  const known = secrets.filter((secret) => secret.length >= MIN_SECRET).sort((a, b) => b.length - a.length);
  for (const secret of known) out = out.replaceAll(secret, '<secret>');
  out = out.replaceAll(NAMED, '$1<secret>').replaceAll(KEYS, '<secret>');
  out = out.replaceAll(URL_LOGIN, '$1<login>@').replaceAll(MAIL, '<address>').replaceAll(URL_HOST, '$1<host>');
  for (const [index, folder] of folders.entries()) if (folder.length > 1) out = replacePath(out, folder, `<folder ${index + 1}>`);
  for (const [folder, mark] of places) if (folder.length > 1) out = replacePath(out, folder, mark);
  if (home.length > 1) out = replacePath(out, home, '~');
  for (const [name, mark] of [
    [user, '<user>'],
    [host, '<host>'],
  ] as const) {
    if (name.length > 2) out = out.replaceAll(new RegExp(`\\b${escaped(name)}\\b`, 'g'), mark);
  }
  return out;
}

/** As it is written, as in a URI, and as in JSON on Windows; not within a longer name. */
function replacePath(text: string, path: string, mark: string): string {
  const forms = new Set([path, encodeURI(path), path.replaceAll('\\', '\\\\'), path.replaceAll('\\', '/')]);
  let out = text;
  for (const form of forms) out = out.replaceAll(new RegExp(`${escaped(form)}(?![\\w.-])`, 'g'), mark);
  return out;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
