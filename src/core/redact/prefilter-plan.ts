/** Made by scripts/redaction-plan.ts from the rules' anchors. A test says when it no longer fits them. */

/** For each anchor, in order: first byte of the window that is searched, plus 1, to base 36. */
export const WINDOW_OFFSETS =
  '8511111111118322333243343613322222222222993505555553401247c100000000001262225261101100222001212204443333411355' +
  '5211333353111613161111c12111123122221224444411122441441114443114311113b011110001142345181602310712121171032122' +
  '210';

/** Nibble tables of the scanner, 128 bytes in base64. */
export const NIBBLE_TABLES =
  't7+/v5OTO7ezE5OT85czswAAExM/dz83ExMTE4CAgICyp7axrdiykrilsaagmaGgAAABES8rPnqAgICAAAAAAOP56PT5o9mHsLCGsJWkoJiAgJ' +
  'D577/+v4CAgICAgICAxO3IxcbEwMDMxpCFib2zuoCAscX/v86fgICAgICAgIA=';
