import { words } from '../words';

export default function Runs() {
  return <h1>{words.pages.runs}</h1>;
}
