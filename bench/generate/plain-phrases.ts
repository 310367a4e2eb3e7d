import type { Phrases, Ways } from './phrases.ts';

export const plainEnglish = (ways: Ways): Phrases => ({
  goal: (name) =>
    `We are building the ${name} service. It takes uploads, checks them and files them by day. Start with the reader.`,
  willLook: () => 'I will look at the layout first.',
  lastRequest: (path) => `Now make ${path} pass the check and tell me what is left.`,
  check: (name) => `npm run check -- ${name}`,
  broken: (code, path) => `Error ${code}: cannot find the exported name in ${path}`,
  install: (name) => `npm install ${name}`,
  refused: (code, name) => `npm error ${code} could not resolve ${name}`,
  printed: (name, ms) => `${name} p95: ${ms} ms`,
  stuck: (what) => `The check stops with ${what} and I have not found the cause.`,
  question: (name) => `Should ${name} stay in the public interface?`,
  rule: ways(
    (name) => `Never touch the folder ${name}.`,
    (name) => `You must keep ${name} free of new dependencies.`,
    (name) => `Do not rename ${name}.`,
    (name) => `Always run the ${name} suite before you say that something is done.`,
  ),
  smallTalk: ways(
    () => 'Thanks, that looks fine.',
    () => 'One more thing.',
    () => 'I had a look.',
  ),
  askToChoose: ways(
    () => 'Which way do we go here? Choose and go on.',
    () => 'Pick whatever fits best.',
  ),
  decides: ways(
    (name, reason) => `Decision: we use ${name} because of ${reason}.`,
    (name, reason) => `I decided to go with ${name}, since ${reason} asks for it.`,
    (name, reason) => `We'll use ${name} for this; ${reason} is the reason.`,
    (name, reason) => `I'm going with ${name} because ${reason} needs it.`,
  ),
  doubts: (name) => `I am not sure about ${name}. Look at it again.`,
  changesTo: ways(
    (from, to, reason) => `Decision: we switch from ${from} to ${to}, because ${reason} turned out differently.`,
    (from, to, reason) => `I was wrong about ${from}. We use ${to} instead, given ${reason}.`,
    (from, to, reason) => `Let's drop ${from} and use ${to}; ${reason} rules it out.`,
  ),
  overrules: ways(
    (from, to) => `No, we use ${to} instead of ${from}.`,
    (from, to) => `Decision: ${to} replaces ${from}.`,
  ),
  report: (said, random) => `${random.pick(CHATTER)} ${said} Done.`,
  tryIt: (name) => `Try ${name} for that part.`,
  didWithout: (name) => `${name} cannot be installed here, so I wrote the few lines by hand.`,
  measure: (name) => `Measure ${name}.`,
  measureAgain: (name) => `Make ${name} faster and measure again.`,
  measured: (name, ms) => `${name} now takes ${ms} ms at p95.`,
  plan: () => 'Write down what has to be done for this part.',
  task: (name) => `Write the migration for ${name}`,
  lookAt: (link) => `The background is in ${link}, read it before you go on.`,
  build: (path) => `Build the part in ${path} and test it.`,
  ask: (path) => `What does ${path} do at the start?`,
  goOn: () => 'Go on.',
  done: ways(
    () => 'Done.',
    () => 'That is in place.',
    () => 'It works as you asked.',
  ),
  summary: () => 'The earlier part of the conversation was about the service and its parts. Work goes on.',
  chatter: (random) => random.pick(CHATTER),
});

const CHATTER = [
  'I read the file and its neighbours; the structure follows the same pattern as the other modules.',
  'The function walks the list once and returns early when there is nothing to do.',
  'Nothing unusual there: it opens the stream, reads the header and hands over to the parser.',
  'The names are a little unlucky, but the flow is easy to follow once the types are known.',
];

export const plainChinese = (ways: Ways): Phrases => ({
  goal: (name) => `我们在做 ${name} 服务：接收上传、检查、按天归档。先从读取模块开始。`,
  willLook: () => '我先看一下目录结构。',
  lastRequest: (path) => `现在让 ${path} 通过检查，并告诉我还剩什么。`,
  check: (name) => `npm run check -- ${name}`,
  broken: (code, path) => `Error ${code}: cannot find the exported name in ${path}`,
  install: (name) => `npm install ${name}`,
  refused: (code, name) => `npm error ${code} could not resolve ${name}`,
  printed: (name, ms) => `${name} p95: ${ms} ms`,
  stuck: (what) => `检查停在 ${what}，原因还没有找到。`,
  question: (name) => `${name} 要不要留在公共接口里？`,
  rule: ways(
    (name) => `不要修改 ${name} 目录。`,
    (name) => `${name} 里禁止增加新的依赖。`,
    (name) => `必须保留 ${name} 这个名字。`,
    (name) => `在说完成之前，务必先运行 ${name} 测试。`,
  ),
  smallTalk: ways(
    () => '好的，看起来没问题。',
    () => '还有一件事。',
    () => '我看过了。',
  ),
  askToChoose: ways(
    () => '这里走哪条路？你选一个继续。',
    () => '挑最合适的。',
  ),
  decides: ways(
    (name, reason) => `决定：采用 ${name}，因为 ${reason}。`,
    (name, reason) => `我决定用 ${name}，原因是 ${reason}。`,
    (name, reason) => `这里就用 ${name} 吧，${reason} 需要它。`,
  ),
  doubts: (name) => `我对 ${name} 不太确定，再看看。`,
  changesTo: ways(
    (from, to, reason) => `决定：从 ${from} 改为 ${to}，因为 ${reason} 的情况不同。`,
    (from, to, reason) => `${from} 不合适，改用 ${to}，考虑到 ${reason}。`,
  ),
  overrules: ways(
    (from, to) => `不用 ${from}，改用 ${to}。`,
    (from, to) => `决定：${to} 取代 ${from}。`,
  ),
  report: (said, random) => `${random.pick(CHATTER_ZH)} ${said} 完成了。`,
  tryIt: (name) => `这部分试试 ${name}。`,
  didWithout: (name) => `${name} 在这里装不上，所以我手写了那几行。`,
  measure: (name) => `测一下 ${name}。`,
  measureAgain: (name) => `让 ${name} 更快，再测一次。`,
  measured: (name, ms) => `${name} 现在的 p95 是 ${ms} ms。`,
  plan: () => '把这部分要做的事写下来。',
  task: (name) => `为 ${name} 写迁移脚本`,
  lookAt: (link) => `背景在 ${link}，继续之前先读。`,
  build: (path) => `实现 ${path} 这部分并测试。`,
  ask: (path) => `${path} 开头做了什么？`,
  goOn: () => '继续。',
  done: ways(
    () => '完成了。',
    () => '已经就位。',
    () => '按你的要求可以工作了。',
  ),
  summary: () => '前面的对话讨论了这个服务和它的各个部分，工作继续进行。',
  chatter: (random) => random.pick(CHATTER_ZH),
});

const CHATTER_ZH = [
  '我读了这个文件和相邻的文件，结构和其他模块一致。',
  '这个函数遍历一次列表，没有事情做时提前返回。',
  '没有特别的地方：打开流，读头部，然后交给解析器。',
  '命名有点不好，但知道类型之后流程很容易看懂。',
];
