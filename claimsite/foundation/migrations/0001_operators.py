"""Three groups of operators: view, operate, administer. Each may do what the ones before it may."""

from django.db import migrations, models

RIGHTS = {
    "view": "May see every page",
    "operate": "May fix what is wrong with claims and nodes",
    "administer": "May change what there is to claim, and who is an operator",
}


def make_groups(apps, schema_editor):
    # Django makes permissions after all migrations; these groups need theirs now. What is there is found later.
    content_type, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="foundation", model="right"
    )
    Permission, Group = apps.get_model("auth", "Permission"), apps.get_model("auth", "Group")
    granted = []
    for name, label in RIGHTS.items():
        right, _ = Permission.objects.get_or_create(
            content_type=content_type, codename=name, defaults={"name": label}
        )
        granted.append(right)
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.add(*granted)


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [
        migrations.CreateModel(
            name="Right",
            fields=[("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))],
            options={
                "managed": False,
                "default_permissions": (),
                "permissions": [
                    ("view", "May see every page"),
                    ("operate", "May fix what is wrong with claims and nodes"),
                    ("administer", "May change what there is to claim, and who is an operator"),
                ],
            },
        ),
        # Groups may have gained members by then: taking the migration back leaves them.
        migrations.RunPython(make_groups, migrations.RunPython.noop),
    ]
