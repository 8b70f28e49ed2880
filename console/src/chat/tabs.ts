// News between the tabs of this browser: a conversation has something new. Other browsers' news is found when the page is
// looked at again. Nothing of what was said goes this way.
const CHANNEL = 'parley.conversations';

export class Tabs {
  private readonly channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(CHANNEL);

  constructor(onNews: (conversation: string) => void) {
    this.channel?.addEventListener('message', ({ data }) => onNews(String(data)));
  }

  tell(conversation: string): void {
    this.channel?.postMessage(conversation);
  }

  close(): void {
    this.channel?.close();
  }
}
