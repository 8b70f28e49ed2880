/* app_notify: tells a service manager how far we are (the protocol of systemd's sd_notify). */
#pragma once

/* app_notify: lines as "READY=1", separated by '\n'; nothing happens where nobody asked for them. */
void app_notify(const char *state);
/* app_notify_reloading: RELOADING=1 with the time that systemd wants beside it. */
void app_notify_reloading(void);
/* app_notify_pause_ms: how often WATCHDOG=1 has to come, halved; -1: nobody waits for it. */
int app_notify_pause_ms(void);
