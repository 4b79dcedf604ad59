// karma's settings, which are the repository's own but for the browser and the reporter: both are ours.
const USUAL = ['karma.conf.js', 'karma.conf.coffee', 'karma.conf.ts', 'karma.conf.cjs', 'src/karma.conf.js'];
const QUIET_MS = 120000;
const { settings, page } = JSON.parse(process.env.AGENT_FIX_KARMA);
delete process.env.AGENT_FIX_KARMA;

// https://karma-runner.github.io/latest/config/configuration-file.html
const theirs = path.resolve(settings || USUAL.filter(fs.existsSync)[0] || USUAL[0]);
// As it has them where a project names none (https://angular.dev/guide/testing/karma).
const BUILDER = '@angular-devkit/build-angular';
const ofAngular = (config) => {
  const own = installedAt(BUILDER) ? BUILDER : '';
  const parts = [own, `${own}/plugins/karma`].map((name) => (own ? [name] : []));
  config.set({ frameworks: ['jasmine', ...parts[0]], plugins: ['karma-jasmine', ...parts[1]], basePath: process.cwd() });
};
const read = () => {
  if (!settings && !fs.existsSync(theirs)) return ofAngular;
  const kind = path.extname(theirs);
  if (kind === '.coffee') require(installedAt('coffeescript') || installedAt('coffee-script')).register();
  if (kind === '.ts') require(installedAt('ts-node')).register({ compilerOptions: { module: 'commonjs' } });
  const found = require(theirs);
  return found.default || found;
};

// Node's own page, where there is no browser: it lays nothing out and draws nothing (https://github.com/jsdom/jsdom).
const show = () => {
  const { JSDOM, VirtualConsole } = require(process.argv[1]);
  const options = { runScripts: 'dangerously', resources: 'usable', pretendToBeVisual: true };
  JSDOM.fromURL(process.argv[2], Object.assign(options, { virtualConsole: new VirtualConsole() }));
};

// Set-up has left a link to a browser that starts, or jsdom, which wants the image's own node, the last one: the
// repository's may be too old for it.
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-breakpad',
  '--disable-background-networking', '--disable-component-update', '--disable-background-timer-throttling', '--disable-renderer-backgrounding', '--mute-audio',
];
const link = path.join(page, 'browser');
const nodes = () => String(process.env.PATH).split(':').map((place) => path.join(place, 'node')).filter(fs.existsSync);
const browser = (flags) => function Browser(decorate) {
  decorate(this);
  const real = fs.existsSync(link);
  this.name = real ? 'a browser' : 'jsdom';
  this.ENV_CMD = null;
  this.DEFAULT_CMD = { linux: real ? fs.realpathSync(link) : nodes().pop() };
  this._getOptions = (url) => (real
    ? [...FLAGS, `--user-data-dir=${this._tempDir}`, ...flags, url]
    : ['-e', `(${show})()`, path.join(page, 'node_modules', 'jsdom'), url]);
};

function Reporter() {
  let failed = 0;
  this.adapters = [];
  this.onBrowserLog = (_, log) => console.log(log);
  this.onSpecComplete = (_, result) => {
    const names = [...result.suite, result.description];
    const outcome = result.skipped || result.pending ? 'skipped' : result.success ? 'passed' : 'failed';
    const message = text((result.log || []).join('\n'));
    if (outcome === 'failed') failed += 1;
    say('case', '', names, outcome, (result.time || 0) / 1000, outcome === 'failed' ? message : '');
    console.log(`${outcome}: ${names.join(' > ')}`);
    if (outcome === 'failed') console.log(message);
  };
  this.onBrowserError = (_, error) => console.log(`The page: ${text(error)}`);
  this.onRunComplete = (_, results) => {  // karma ends a run at an error outside of tests: others have not begun then
    if (!results.disconnected && !results.error) say('end', failed);
  };
}

const ofBrowsers = (config) => [].concat(config.browsers || []).map((name) => (config.customLaunchers || {})[name]);
const isKept = (plugin) => (typeof plugin === 'string'
  ? !/-(?:launcher|reporter)$/.test(plugin)
  : !Object.keys(plugin).every((key) => /^(?:launcher|reporter):/.test(key)));
// Named as karma would find them, which looks beside itself: there pnpm has none.
const above = (folder) => [folder, ...(path.dirname(folder) === folder ? [] : above(path.dirname(folder)))];
const installed = () => [].concat(...above(process.cwd()).map((folder) => {
  const place = path.join(folder, 'node_modules');
  const names = fs.existsSync(place) ? fs.readdirSync(place) : [];
  return names.filter((name) => /^karma-/.test(name)).map((name) => path.join(place, name));
}));
const found = (plugin) => {
  try {
    return typeof plugin === 'string' ? require.resolve(plugin, { paths: [process.cwd()] }) : plugin;
  } catch (error) {
    return plugin;
  }
};
const plugins = (config) => {
  const named = (config.plugins || ['karma-*']).map((one) => (one === 'karma-*' ? installed() : [one]));
  return [].concat(...named).filter(isKept).map(found);
};

const ours = (config) => {
  const [own] = ofBrowsers(config).filter((launcher) => launcher && /chrom/i.test(launcher.base));
  const launcher = browser((own && own.flags) || []);
  launcher.$inject = ['baseBrowserDecorator'];
  Reporter.$inject = [];
  const client = config.client || {};
  config.set({
    basePath: path.resolve(path.dirname(theirs), config.basePath || ''),
    browsers: ['AgentFix'],
    reporters: ['agent-fix'],
    plugins: [...plugins(config), { 'launcher:AgentFix': ['type', launcher] }, { 'reporter:agent-fix': ['type', Reporter] }],
    frameworks: (config.frameworks || []).filter((name) => name !== 'detectBrowsers'),
    client: Object.assign({}, client, { jasmine: Object.assign({ random: false }, client.jasmine) }),
    customLaunchers: {},
    singleRun: true,
    autoWatch: false,
    browserNoActivityTimeout: Math.max(config.browserNoActivityTimeout || 0, QUIET_MS),
    captureTimeout: Math.max(config.captureTimeout || 0, QUIET_MS),
  });
};

module.exports = (config) => {
  const told = read()(config);
  return told && told.then ? told.then(() => ours(config)) : ours(config);
};
