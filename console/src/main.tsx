import { render } from 'preact';
import { App } from './frame';
import { start } from './session';

render(<App />, document.getElementById('app')!);
void start();
