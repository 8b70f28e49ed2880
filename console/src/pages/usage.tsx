import { words } from '../words';

export default function Usage() {
  return <h1>{words.pages.usage}</h1>;
}
