/** Made by scripts/redaction-plan.ts from the rules' anchors. A test says when it no longer fits them. */

/** For each anchor, in order: first byte of the window that is searched, plus 1, to base 36. */
export const WINDOW_OFFSETS =
  '1511111111114322333241543111122222222222391505555553401247c100000000001262225661105100333001112204443333111322' +
  '2221333356111614161111c12112223121222214444411122111441112223114311213c032110003142342431602310311111111032122' +
  '120';

/** Nibble tables of the scanner, 128 bytes in base64. */
export const NIBBLE_TABLES =
  't7+nv6enJ7+nL6en56cntycAJyc/dz8vJycnJ4CAgICmp7y0lMylhrSMoZ6MjaGgAAABJT86P3+AgICAAAAAAMf13fXsl+iqoLyMoIeEhKCAgK' +
  'Dx/6/+r4CAgICAgICA0OjQ0dLA0MDKwoSgia20rYCApdj/t9qXgICAgICAgIA=';
