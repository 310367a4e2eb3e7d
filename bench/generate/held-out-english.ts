import { heldOutEnglishWork } from './held-out-english-work.ts';
import type { Phrases, Ways } from './phrases.ts';

/**
 * English as people and agents write it. Written without a look at the compiler, and not to be tuned to it: whoever makes the
 * compiler better leaves these as they are.
 */
export const heldOutEnglish = (ways: Ways): Phrases => ({
  ...heldOutEnglishWork(ways),
  ...decisions(ways),
  ...rules(ways),
});

const rules = (ways: Ways) => ({
  rule: ways<[name: string]>(
    (name) => `please leave ${name} alone, the data team owns it`,
    (name) => `\`${name}\` is off limits.`,
    (name) => `don't touch ${name} for now!`,
    (name) => `Whatever you do, ${name} has to keep working with the old clients.`,
    (name) => `I'd rather you didn't change anything in ${name}.`,
    (name) => `Make sure ${name} stays backwards compatible.`,
    (name) => `Please stick to the existing style in ${name}, no reformatting.`,
    (name) => `Under no circumstances should ${name} be committed.`,
    (name) => `Anything under ${name}/ is generated, so no manual edits there.`,
    (name) => `We can't add new deps to ${name}.`,
    (name) => `Be careful to keep ${name} out of the bundle.`,
    (name) => `From now on, run ${name} before each commit.`,
    (name) => `Hands off ${name}, please.`,
    (name) => `Avoid importing ${name} from the renderer.`,
    (name) => `No network calls in ${name}, only fakes.`,
    (name) => `${name} needs to stay on Node 18 until the release is out.`,
  ),
  smallTalk: ways(
    () => 'Looks good to me.',
    () => 'Cool, thanks a lot for the quick turnaround!',
    () => 'Hmm ok, I pulled it and it runs here too.',
    () => 'Nice. The diff was easy to review this time.',
    () => 'Right, back from lunch.',
    () => "I'm reading the code on my phone so excuse the typos.",
  ),
  question: ways<[name: string]>(
    (name) => `Before I continue: do you want ${name} to stay public?`,
    (name) => `Let me know whether ${name} should be kept or removed.`,
    (name) => `Would you like me to also migrate ${name}? I can do it in the same pass.`,
    (name) => `Two options:\n\n1. Keep ${name} as it is\n2. Inline it and delete the file\n\nWhich one do you prefer?`,
    (name) => `I need your input on ${name}: keep the old signature, or break it now.`,
    (name) => `Shall I go ahead and delete ${name}?`,
    (name) => `**Open question:** who is responsible for rotating ${name}`,
    (name) => `Could you confirm that ${name} is safe to drop?`,
    (name) => `One thing I'm unsure about is if ${name} is still used by the mobile app - please advise.`,
    (name) => `If you're happy with that, I'd start on ${name} next. OK?`,
    (name) => `What should happen to ${name} when the queue is full?\n\nEverything else is in place.`,
    (name) => `Want me to pin ${name}, or just float it?`,
    (name) => `I'm waiting for your decision on ${name} before I touch the schema.`,
    (name) => `Does ${name} need to support Windows as well? Happy to leave it out.`,
  ),
});

const decisions = (ways: Ways) => ({
  askToChoose: ways(
    () => 'up to you, just pick one and keep moving',
    () => "What would you do here? I don't have a strong opinion.",
    () => 'Your call.',
    () => 'go with whatever you think is cleanest',
    () => 'Both are fine for me, please choose and implement it.',
    () => 'Can you weigh the options and then do the better one?',
  ),
  decides: ways<[name: string, reason: string]>(
    (name, reason) => `I went with \`${name}\` here, mainly because of ${reason}.`,
    (name, reason) => `**Approach:** ${name} — it handles ${reason} out of the box.`,
    (name, reason) => `After comparing both, ${name} is the better fit given ${reason}.`,
    (name, reason) => `Let's go with ${name}; ${reason} makes the alternative painful.`,
    (name, reason) => `I've chosen **${name}** over the hand-rolled version (${reason}).`,
    (name, reason) => `So the plan is to use ${name}, which keeps ${reason} simple.`,
    (name, reason) => `I ended up using ${name} as ${reason} would otherwise need a lock.`,
    (name, reason) => `${name} it is: ${reason} settles it.`,
    (name, reason) => `My recommendation is ${name}, and that's what I implemented; ${reason} was the tie-breaker.`,
    (name, reason) => `I opted for ${name} because ${reason} is already there.`,
    (name, reason) => `To handle ${reason}, the reader is now built on top of \`${name}\`.`,
    (name, reason) => `We'll stick with ${name} since ${reason} depends on it.`,
    (name, reason) => `I settled on ${name} for the storage layer, given ${reason}.`,
    (name, reason) => `Considering ${reason}, I think ${name} is the way to go, so I wired it in.`,
  ),
  report: ways<[said: string]>(
    (said) =>
      `Done! Here's a summary:\n\n- Read through the module and its callers\n- ${said}\n- Added a unit test\n\nLet me know how it looks.`,
    (said) =>
      `## What changed\n\nThe parser and the writer were doing the same walk twice. ${said} The tests are green and the types check.\n\n## Next steps\n\nNothing blocking.`,
    (said) =>
      `Good question — there were a couple of ways to do this, and the trade-off is mostly about memory. ${said} I kept the public API unchanged, so the callers don't notice.`,
    (said) =>
      `I looked at how the neighbours do it first.\n\n${said}\n\nIt probably makes sense to revisit this once the traffic grows, but for now it should be fine.`,
    (said) =>
      `Perfect, that's implemented.\n\n**Details**\n1. The old helper was only called from one place.\n2. ${said}\n3. Docs are updated.`,
    (said) =>
      `The change is small: one file, about forty lines. Most of the work was in following the types through. ${said}`,
  ),
  doubts: ways<[name: string]>(
    (name) => `hmm, does ${name} really scale?`,
    (name) => `The build got slower since ${name}. Can you check?`,
    (name) => `I'm having second thoughts about ${name}`,
    (name) => `Ops asked why we need ${name}, have another look please.`,
    (name) => `is ${name} even maintained any more?`,
    (name) => `${name} feels heavy, what else is there?`,
  ),
  changesTo: ways<[from: string, to: string, reason: string]>(
    (from, to, reason) => `Turns out ${from} can't deal with ${reason}, so ${to} it is.`,
    (from, to, reason) => `On second thought, ${to} is the better choice: ${from} breaks on ${reason}.`,
    (from, to, reason) => `You're right. I've replaced \`${from}\` with \`${to}\`, which copes with ${reason}.`,
    (from, to, reason) => `Scrap ${from}.\n\nI moved everything over to ${to} because of ${reason}.`,
    (from, to, reason) => `I ripped out ${from} and rebuilt that part on ${to} (${reason} was the blocker).`,
    (from, to, reason) => `**Update:** ${from} is gone; we're on ${to} now, due to ${reason}.`,
    (from, to, reason) => `I reverted the ${from} change and went back to ${to}, since ${reason} failed in CI.`,
    (from, to, reason) => `Good catch! ${from} was the wrong call given ${reason}. I've migrated to **${to}**.`,
    (from, to, reason) => `Looking at it again, ${from} doesn't give us ${reason}. Swapped it for ${to}.`,
    (from, to, reason) =>
      `Here's what I found:\n\n- ${from} doubles the build time\n- ${reason} doesn't need it\n\nSo I'm moving to ${to} and removing ${from}.`,
    (from, to, reason) => `Rather than ${from}, the code uses ${to} from here on; ${reason} forced my hand.`,
    (from, to, reason) => `Unfortunately ${from} didn't work out (${reason}), I had to fall back to ${to}.`,
    (from, to, reason) => `Abandoning ${from}: it conflicts with ${reason}. ${to} takes its place.`,
    (from, to, reason) => `I take that back — ${reason} means ${from} won't fly. Going with ${to}.`,
  ),
  overrules: ways<[from: string, to: string]>(
    (from, to) => `no, scrap ${from}, use ${to}`,
    (from, to) => `Actually let's not do ${from}. ${to} is what the rest of the company has, so use that.`,
    (from, to) => `I talked to ops: ${from} is a no-go, please switch to ${to}.`,
    (from, to) => `can we go back to ${to}? ${from} is too slow`,
    (from, to) => `I changed my mind on ${from}, ${to} please`,
    (from, to) => `Please use ${to} rather than ${from}.`,
    (from, to) => `Forget about ${from}, we're doing ${to} now.`,
    (from, to) => `wait, ${from}? I'd prefer ${to} there`,
  ),
});
