"""What carries the three rights of operators. The groups that have them are made after every migration (apps.py)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="Right",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))
            ],
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
    ]
