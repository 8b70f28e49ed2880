import { words } from '../words';

export default function Settings() {
  return <h1>{words.pages.settings}</h1>;
}
