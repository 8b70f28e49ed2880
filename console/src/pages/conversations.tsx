import { words } from '../words';

export default function Conversations() {
  return <h1>{words.pages.conversations}</h1>;
}
