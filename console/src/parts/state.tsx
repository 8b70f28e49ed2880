// The four states of what a page has asked for: loading, empty, refused, offline; or the thing itself.
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api';
import { words } from '../words';
import { Icon } from './icon';
import type { Load } from './load';

// Refused: an error of the gateway, with what support needs to find it.
interface RefusedProps {
  error: ApiError;
  title?: string; // what it means here
  retry?: () => void;
}

export function Refused({ error, title, retry }: RefusedProps) {
  return (
    <div class="notice bad" role="alert">
      <Icon name="warn" />
      <div>
        <strong>{title ?? (error.status === 0 ? words.state.offline : words.state.refused)}</strong>
        {error.status !== 0 && <p>{error.message}</p>}
        {(error.code || error.request_id) && (
          <p class="fine">
            {error.status} {error.code}
            {error.request_id && (
              <>
                {' · '}
                {words.state.request} <code>{error.request_id}</code>
              </>
            )}
          </p>
        )}
        {retry && (
          <button type="button" onClick={retry}>
            {words.state.retry}
          </button>
        )}
      </div>
    </div>
  );
}

export function Empty({ title, children }: { title?: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title ?? words.state.empty}</strong>
      {children}
    </div>
  );
}

export function Loading() {
  return (
    <p class="loading" role="status">
      {words.state.loading}
    </p>
  );
}

interface StateProps<T> {
  of: Load<T>;
  empty?: (data: T) => boolean;
  none?: ComponentChildren; // in place of the general words, where there is nothing
  children: (data: T) => ComponentChildren;
}

// State: what was read stays on the page when asking again fails; the error stands above it.
export function State<T>({ of, empty, none, children }: StateProps<T>) {
  return (
    <>
      {of.error && <Refused error={of.error} retry={of.reload} />}
      {of.data === null ? of.busy && <Loading /> : empty?.(of.data) ? (none ?? <Empty />) : children(of.data)}
    </>
  );
}
