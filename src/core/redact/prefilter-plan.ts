/** Made by scripts/redaction-plan.ts from the rules' anchors. A test says when it no longer fits them. */

/** For each anchor, in order: first byte of the window that is searched, plus 1, to base 36. */
export const WINDOW_OFFSETS =
  '55111111111143223332433431131222222222221941144055555534012273100000000001162225661115100221001212201143333161' +
  '422322133335611161416111141211222312112212444441112244444111c4f31143112137031110001114123424536023116112111111' +
  '032122220';

/** Nibble tables of the scanner, 128 bytes in base64. */
export const NIBBLE_TABLES =
  'n6+fv5+PC5+rq4uby58PjwsACys/XzsbCwsLC4CAgICKnK6MjOiIjoichYaIqaGsAAAhCTYmO3qAgICAAAAAAPjN7Nzsz+jSiMyUjJ2IjKmAgI' +
  'Xs57/6v4CAgICAgICAxPXG1cbExMT01oykpbyOnYSArdT/n/afhISEhISEhIQ=';
