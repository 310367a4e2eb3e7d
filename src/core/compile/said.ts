/** A text of the conversation, and the event that holds it. */
export interface Said {
  seq: number;
  text: string;
}
