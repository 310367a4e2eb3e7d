import { hash } from 'node:crypto';

/** The only door of the pure core to a hash function, so that another runtime can bring its own. */

/** SHA-256 as 64 hex digits. Strings are hashed as UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** SHA-256 as `sha256:<hex>`, the form of checksums and subjects. */
export function sha256Ref(data: string | Uint8Array): string {
  return `sha256:${sha256Hex(data)}`;
}

/** SHA-256 in base64, as content security policies want it. */
export function sha256Base64(data: string): string {
  return hash('sha256', data, 'base64');
}
