import { words } from '../words';

export default function Chat() {
  return <h1>{words.pages.chat}</h1>;
}
