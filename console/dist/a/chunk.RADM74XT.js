var CHANNEL="parley.conversations",Tabs=class{channel=typeof BroadcastChannel>"u"?null:new BroadcastChannel(CHANNEL);constructor(onNews){this.channel?.addEventListener("message",({data})=>onNews(String(data)))}tell(conversation){this.channel?.
postMessage(conversation)}close(){this.channel?.close()}};export{Tabs};
