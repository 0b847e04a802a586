/** Scheme of the documents that hold candidates under edit; apart, because both bundles of the extension know it. */
export const CANDIDATE_SCHEME = 'peagen-candidate';
