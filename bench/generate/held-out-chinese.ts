import { heldOutChineseWork } from './held-out-chinese-work.ts';
import type { Phrases, Ways } from './phrases.ts';

/**
 * Chinese (with the English that goes with it) as people and agents write it. Written without a look at the compiler, and not
 * to be tuned to it: whoever makes the compiler better leaves these as they are.
 */
export const heldOutChinese = (ways: Ways): Phrases => ({
  ...heldOutChineseWork(ways),
  ...decisions(ways),
  ...rules(ways),
});

const rules = (ways: Ways) => ({
  rule: ways<[name: string]>(
    (name) => `别动 ${name}`,
    (name) => `${name} 先不要改，后端还在用。`,
    (name) => `麻烦保持 ${name} 的接口不变。`,
    (name) => `注意 ${name} 不能依赖 electron。`,
    (name) => `以后每次提交前都跑一下 ${name}。`,
    (name) => `${name} 这块请勿手动编辑，是生成的。`,
    (name) => `千万别把 ${name} 提交上去！`,
    (name) => `${name} 一定要兼容老版本客户端。`,
    (name) => `尽量不要碰 ${name}，除非真的需要。`,
    (name) => `${name} 目录是只读的，不允许写入。`,
    (name) => `所有改动都得经过 ${name} 校验。`,
    (name) => `不用管 ${name}，那是别的组负责的。`,
    (name) => `代码风格请跟 ${name} 保持一致。`,
    (name) => `${name} 里面只能用标准库，don't add deps。`,
  ),
  smallTalk: ways(
    () => '嗯，看着不错。',
    () => '好，辛苦了！',
    () => '我本地拉下来跑了一下，没啥问题。',
    () => '刚开完会回来。',
    () => 'ok，这个 diff 我 review 过了。',
    () => '对了，顺便说一下。',
  ),
  question: ways<[name: string]>(
    (name) => `请问 ${name} 还需要保留吗？`,
    (name) => `${name} 是删掉还是留着，您来定。`,
    (name) => `需要我顺便把 ${name} 也迁移了吗？`,
    (name) => `有两个方案：\n\n1. 保留 ${name}\n2. 内联后删除\n\n你倾向哪一个？`,
    (name) => `请确认 ${name} 是否可以删除。`,
    (name) => `**待确认**：${name} 的过期时间设多少`,
    (name) => `要不要我继续处理 ${name}?`,
    (name) => `${name} 这里我拿不准，想听听你的意见。`,
    (name) => `如果没问题的话，我接下来就改 ${name}，可以吗`,
    (name) => `队列满了之后 ${name} 应该怎么处理？其他部分都好了。`,
    (name) => `${name} 由谁来维护呢？`,
    (name) => `我在等你对 ${name} 的决定，然后再改 schema。`,
  ),
});

const decisions = (ways: Ways) => ({
  askToChoose: ways(
    () => '你看着办',
    () => '都行，选一个就好。',
    () => '哪个更合适？你定。',
    () => '你觉得怎么做好就怎么做',
    () => '对比一下，然后直接实现。',
    () => '我没意见，挑简单的。',
  ),
  decides: ways<[name: string, reason: string]>(
    (name, reason) => `最终选择了 \`${name}\`，主要考虑 ${reason}。`,
    (name, reason) => `**方案**：${name}，可以直接支持 ${reason}。`,
    (name, reason) => `对比之后，还是 ${name} 更合适（${reason}）。`,
    (name, reason) => `那就用 ${name} 吧，${reason} 用别的会很麻烦。`,
    (name, reason) => `我选了 **${name}**，没有自己手写，因为 ${reason}。`,
    (name, reason) => `所以这里我们走 ${name} 这条路，${reason} 也能简化。`,
    (name, reason) => `考虑到 ${reason}，我用 ${name} 来实现了。`,
    (name, reason) => `就定 ${name} 了，${reason} 说明了问题。`,
    (name, reason) => `我的建议是 ${name}，已经按这个实现，关键在于 ${reason}。`,
    (name, reason) => `存储层基于 ${name}，这样 ${reason} 不需要加锁。`,
    (name, reason) => `继续沿用 ${name}，毕竟 ${reason} 依赖它。`,
    (name, reason) => `倾向于 ${name}，代码里已经接好了，${reason} 现成可用。`,
  ),
  report: ways<[said: string]>(
    (said) => `已完成，改动如下：\n\n- 看了模块和调用方\n- ${said}\n- 补了单元测试\n\n有问题随时说。`,
    (said) => `## 修改内容\n\n原来解析和写入各遍历了一次。${said}测试全部通过。\n\n## 后续\n\n暂时没有阻塞项。`,
    (said) => `这个问题有几种做法，主要是内存上的取舍。${said}对外接口没有变化。`,
    (said) => `先参考了旁边模块的写法。\n\n${said}\n\n流量上来之后可能需要再看看，目前应该够用。`,
    (said) => `搞定了。\n\n**说明**\n1. 旧的 helper 只有一处调用。\n2. ${said}\n3. 文档同步更新。`,
    (said) => `改动不大，一个文件四十行左右。${said}`,
  ),
  doubts: ways<[name: string]>(
    (name) => `${name} 撑得住吗？`,
    (name) => `用了 ${name} 之后构建变慢了，看下`,
    (name) => `感觉 ${name} 有点重`,
    (name) => `运维问为什么要 ${name}，再评估一下吧`,
    (name) => `${name} 还有人维护吗`,
    (name) => `${name} 这个我有点犹豫。`,
  ),
  changesTo: ways<[from: string, to: string, reason: string]>(
    (from, to, reason) => `${from} 还是算了，${reason} 搞不定，换成 ${to}。`,
    (from, to, reason) => `您说得对，已经把 \`${from}\` 换成了 \`${to}\`，${reason} 没问题了。`,
    (from, to, reason) => `发现 ${from} 处理不了 ${reason}，所以回到 ${to}。`,
    (from, to, reason) => `重新考虑了一下，${to} 更好：${from} 在 ${reason} 上会出错。`,
    (from, to, reason) => `放弃 ${from}，用 ${to} 重写了这部分（卡在 ${reason}）。`,
    (from, to, reason) => `**更新**：${from} 已移除，现在用的是 ${to}，原因是 ${reason}。`,
    (from, to, reason) => `撤掉了 ${from} 的改动，退回 ${to}，${reason} 在 CI 里过不了。`,
    (from, to, reason) => `之前选 ${from} 是我判断错了，${reason} 不支持。现在迁移到 **${to}**。`,
    (from, to, reason) =>
      `查了一下：\n\n- ${from} 让构建时间翻倍\n- ${reason} 并不需要它\n\n因此切换到 ${to}，同时删掉 ${from}。`,
    (from, to, reason) => `${from} 行不通（${reason}），只好用 ${to} 代替。`,
    (from, to, reason) => `不再使用 ${from}，统一到 ${to}，${reason} 的限制绕不过去。`,
    (from, to, reason) => `与其用 ${from}，不如 ${to}，${reason} 已经证明了，代码改过来了。`,
  ),
  overrules: ways<[from: string, to: string]>(
    (from, to) => `${from} 不要了，用 ${to}`,
    (from, to) => `算了，别用 ${from} 了，换 ${to} 吧。`,
    (from, to) => `还是回到 ${to}，${from} 太慢了`,
    (from, to) => `我改主意了，${from} 换成 ${to}。`,
    (from, to) => `跟运维聊过，${from} 不行，请切到 ${to}。`,
    (from, to) => `用 ${to} 替掉 ${from}`,
  ),
});
