import { useState } from 'preact/hooks';
import { verbLine } from '../../control-api/command-line.ts';
import { TAKEN } from '../../control-api/taken.ts';
import { ask } from '../api.ts';
import { Alert, Button, Check, announce, Link } from '../components.tsx';
import { useAction } from '../hooks.ts';
import { ListPage } from '../parts/list-page.tsx';
import { TOKEN_CELLS } from '../parts/cells.tsx';
import { filterBy, filterValue } from '../router.ts';
import { visible } from '../text.ts';

export function TokensPage() {
  const live = filterValue('live') === 'true';
  const action = useAction();
  const [last, setLast] = useState('');
  const end = (id: string): void =>
    action.run(async () => {
      await ask('POST token/end', { launch_id: id });
      setLast(id);
      announce('the token has ended');
    });
  return (
    <>
      <ListPage
        list="tokens"
        name="Tokens"
        find="person, tool, launch"
        given={{ live: live || undefined }}
        filters={
          <Check
            label="Live only"
            isOn={live}
            onChange={(isOn) => filterBy({ live: isOn ? 'true' : '' })}
          />
        }
        student=""
        commands={({ items }) => {
          // The one that was ended here, else the first that can be.
          const id = last || items.find(({ ended }) => ended === '')?.launch_id;
          return id === undefined ? [] : [verbLine('token end', TAKEN.tokenEnd, { launch_id: id })];
        }}
        empty={(isFiltered) =>
          isFiltered ? 'No token matches.' : 'No token was issued yet. Each launch issues one.'
        }
        keyOf={({ launch_id: id }) => id}
        cells={TOKEN_CELLS}
        actions={({ launch_id: id, kind, ended }) => (
          <div class="actions">
            {kind === 'launch' && (
              <Link page="launch" rest={id} class="button small">
                Open
              </Link>
            )}
            {ended === '' && (
              <Button class="small" isOff={action.isBusy} onClick={() => end(id)}>
                End
              </Button>
            )}
          </div>
        )}
      />
      <Alert>{visible(action.error)}</Alert>
    </>
  );
}
