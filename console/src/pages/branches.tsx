// The branches of a conversation, as a small tree beside the chat: a part of the chat's page, loaded when it
// is opened first.
export interface BranchesProps {
  conversation: string;
  leaf: string | null; // the last message of the branch that is shown; null: the newest
  onLeaf: (leaf: string) => void; // another branch was chosen
}

export default function Branches(_: BranchesProps) {
  return null;
}
