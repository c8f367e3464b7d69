// User forms with their versions (contract-admin 11.2). Tags and rights belong to the name.
import type { Caller } from '../../model/caller.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import type { DescribedResource } from '../../operation/tags/tags.js';
import type { Ports } from '../ports.js';
import { VersionedResource } from '../versioned-resource.js';
import type { FormValidation } from './form-validation.js';
import { userForm, type ShownUserForm, type UserForm, type UserFormFields } from './user-form.js';

export interface UserFormsParts extends Pick<Ports, 'clock' | 'access' | 'ownership' | 'tags'> {
  readonly table: RecordTable<UserForm>;
  readonly validation: FormValidation;
  readonly formsMax: number;
}

export class UserForms extends VersionedResource<UserFormFields, UserForm, ShownUserForm> {
  constructor(parts: UserFormsParts) {
    super(
      {
        type: 'USER_FORM_TEMPLATE',
        called: 'User form',
        path: '/api/human/template',
        versionPath: '/api/human/template/:name/:version',
        noun: userForm,
        columns: ['name', 'version', 'updateTime'],
        named: (name, version) =>
          version === undefined ? name.slice(0, 300) : `${name}, version ${version}`.slice(0, 300),
        limit: { max: parts.formsMax, setting: 'userFormsMax' },
        check: (caller, { jsonSchema }) => parts.validation.checkSchema(caller, jsonSchema),
        make: (fields, { caller, known, now, version }) => ({
          ...{ ...fields, version },
          ...{ createTime: known?.createTime ?? now, updateTime: now },
          ...{ createdBy: known?.createdBy ?? authorOf(caller), updatedBy: authorOf(caller) },
        }),
        show: (form, tags) => userForm.toJson(form, tags.length === 0 ? {} : { tags }),
      },
      parts,
    );
  }

  /** The newest version for 0 or undefined. */
  override find(name: string, version?: number): UserForm | undefined {
    return super.find(name, version === 0 ? undefined : version);
  }

  /** As lists of tagged resources show the versions of a form (contract-admin 9.5). */
  described(name: string): DescribedResource[] {
    const versions = this.has(name) ? this.versions(name) : [];
    return versions.map(({ version }) => ({ id: `${name}/${version}`, displayName: name }));
  }
}

/** Contract-admin 1.5: forms show their authors in this way. */
function authorOf({ id }: Caller): string {
  return id === '' ? '' : `USER:${id}`;
}
