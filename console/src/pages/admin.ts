// The pages that are opened seldom: one file, since files that are alike are smaller together.
export { default as audit } from './audit';
export { default as groups } from './groups';
export { default as keys } from './keys';
export { default as log } from './log';
export { default as models } from './models';
export { default as settings } from './settings';
