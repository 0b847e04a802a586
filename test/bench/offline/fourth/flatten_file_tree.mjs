/** Patterns know * and ?; those with a slash are matched with the whole path. */
function isIgnored(path, name, patterns) {
  return patterns.some((pattern) => {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '[^/]*')
      .replace(/\?/g, '[^/]');
    return new RegExp(`^${source}$`, 'i').test(pattern.includes('/') ? path : name);
  });
}

function withoutIgnored(node, parentPath, patterns) {
  const path = parentPath ? `${parentPath}/${node.name}` : node.name;
  if (isIgnored(path, node.name, patterns)) return null;
  if (!node.children) return { ...node, path };
  const children = node.children.map((child) => withoutIgnored(child, path, patterns)).filter((child) => child !== null);
  return { ...node, path, children };
}

function totalSize(node) {
  if (!node.children) return node.size || 0;
  return node.children.reduce((sum, child) => sum + totalSize(child), 0);
}

function countFiles(node) {
  if (!node.children) return 1;
  return node.children.reduce((sum, child) => sum + countFiles(child), 0);
}

/**
 * Makes a flat list of a file tree, as for a table on a page: one row per
 * folder or file, each folder followed by its contents, folders first.
 *
 * @param {{name: string, size?: number, children?: object[]}} root
 * @param {{ignore?: string[], sortBy?: 'name' | 'size', maxDepth?: number}} [options]
 */
export function flattenFileTree(root, options = {}) {
  const { ignore = [], sortBy = 'name', maxDepth = Infinity } = options;

  const compare = (a, b) => {
    if (Boolean(a.children) !== Boolean(b.children)) return a.children ? -1 : 1;
    if (sortBy === 'size' && totalSize(a) !== totalSize(b)) return totalSize(b) - totalSize(a);
    return a.name.localeCompare(b.name, 'en', { numeric: true });
  };

  const rowsOf = (node, depth, parent) => {
    const size = totalSize(node);
    const whole = parent ? totalSize(parent) : size;
    const row = {
      path: node.path,
      label: '  '.repeat(depth) + node.name + (node.children ? '/' : ''),
      size,
      files: countFiles(node),
      share: whole === 0 ? 0 : Math.round((1000 * size) / whole) / 10,
    };
    if (!node.children || depth >= maxDepth) return [row];
    const children = [...node.children].sort(compare);
    return children.reduce((rows, child) => [...rows, ...rowsOf(child, depth + 1, node)], [row]);
  };

  const tree = withoutIgnored(root, '', ignore);
  return tree === null ? [] : rowsOf(tree, 0, null);
}

export function inputs() {
  let state = 37;
  const draw = (count) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const file = () => ({
    name: `${['index', 'notes', 'Page', 'img'][draw(4)]}${draw(30)}.${['js', 'md', 'log', 'png', 'tmp'][draw(5)]}`,
    size: draw(5000),
  });
  const folder = (name, depth, width) => ({
    name,
    children: Array.from({ length: 1 + draw(width) }, (_, at) =>
      depth > 0 && draw(2) === 0 ? folder(`${['src', 'build', 'lib', 'Docs'][draw(4)]}${at}`, depth - 1, width) : file(),
    ),
  });
  const top = (name, depth, width) => ({
    name,
    children: Array.from({ length: width }, (_, at) => (at % 2 === 0 ? folder(`part${at}`, depth, width) : file())),
  });
  return [
    [top('root', 1, 3)],
    [top('site', 2, 5), { ignore: ['*.tmp'] }],
    [top('project', 3, 7), { ignore: ['*.log', 'build*'], sortBy: 'size', maxDepth: 3 }],
    [top('archive', 4, 9), { ignore: ['*.tmp', 'archive/lib?/*.png', 'Docs4'], sortBy: 'size' }],
  ];
}
